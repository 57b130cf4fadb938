// Tests the installation of a browser through npm on machines without one.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findBrowser } from './find-browser.ts'
import { installBrowser, ownBrowsersFolder } from './own-browsers.ts'

/** Sets up a separate home folder, and a fake npm that logs its calls and installs a package. */
async function placeWith(npm: string) {
  const home = await mkdtemp(join(tmpdir(), 'kscrape-home-'))
  const before = process.env.HOME
  process.env.HOME = home
  await writeFile(join(home, 'npm'), `#!/bin/sh\n${npm}\n`)
  await chmod(join(home, 'npm'), 0o755)
  return {
    npm: join(home, 'npm'),
    [Symbol.asyncDispose]: async () => {
      process.env.HOME = before
      await rm(home, { recursive: true, force: true })
    },
  }
}

const nowhere = { wants: 'shell', programFolders: [], playwrightFolder: '/nowhere' } as const

test('a browser installed by doctor --fix is found if there is no other', async () => {
  await using place = await placeWith(
    [
      'echo "$@" > asked',
      'mkdir -p node_modules/@sparticuz/chromium',
      `echo '{"name":"@sparticuz/chromium","type":"module","exports":"./index.js"}' > node_modules/@sparticuz/chromium/package.json`,
      `echo 'export default { executablePath: async () => "/tmp/chromium" }' > node_modules/@sparticuz/chromium/index.js`,
    ].join('\n'),
  )
  assert.equal(await findBrowser(nowhere), null)
  await installBrowser(ownBrowsersFolder(), place.npm)
  const found = await findBrowser(nowhere)
  assert.deepEqual([found?.from, found?.executablePath], ['sparticuz', '/tmp/chromium'])
  const asked = await readFile(join(ownBrowsersFolder(), 'asked'), 'utf8')
  assert.match(asked, /^install --ignore-scripts .*@sparticuz\/chromium\n$/)
})

test('the error of a failed installation quotes npm, or says that npm is missing', async () => {
  await using place = await placeWith('echo "no such registry" >&2; exit 7')
  await assert.rejects(installBrowser(ownBrowsersFolder(), place.npm), /could not install .*no such registry/)
  await assert.rejects(installBrowser(ownBrowsersFolder(), '/no/npm'), /\/no\/npm can't be run \(ENOENT\)/)
})
