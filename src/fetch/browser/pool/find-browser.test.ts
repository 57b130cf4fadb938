// Tests in which places and in which order browsers are searched.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { asFailure } from '../../../model/failures.ts'
import { browserMissing, findBrowser } from './find-browser.ts'

async function machineWith(t: TestContext, ...programs: string[]) {
  const root = await mkdtemp(join(tmpdir(), 'kscrape-find-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  for (const program of programs) {
    await mkdir(dirname(join(root, program)), { recursive: true })
    await writeFile(join(root, program), '#!/bin/sh\n', { mode: 0o755 })
  }
  const places = { programFolders: [join(root, 'bin')], playwrightFolder: join(root, 'playwright') }
  return { root, places: { ...places, sparticuz: async () => null } }
}

test('Playwright’s own browser is preferred to a browser of the system, and the newest version to older versions', async t => {
  const { root, places } = await machineWith(
    t,
    'bin/chromium-headless-shell',
    'playwright/chromium_headless_shell-999/chrome-linux/headless_shell',
    'playwright/chromium_headless_shell-1200/chrome-linux/headless_shell',
  )
  const found = await findBrowser({ ...places, wants: 'shell' })
  const executablePath = join(root, 'playwright/chromium_headless_shell-1200/chrome-linux/headless_shell')
  assert.deepEqual(found, { executablePath, kind: 'shell', from: 'playwright' })
})

test('pages without special needs use the headless shell, or full Chromium if there is no shell', async t => {
  const both = await machineWith(t, 'bin/chromium', 'bin/chromium-headless-shell')
  assert.equal((await findBrowser({ ...both.places, wants: 'shell' }))?.kind, 'shell')
  const full = await machineWith(t, 'bin/google-chrome')
  assert.equal((await findBrowser({ ...full.places, wants: 'shell' }))?.kind, 'full')
})

test('if a full browser is needed, a headless shell does not count', async t => {
  const { places } = await machineWith(t, 'bin/chromium-headless-shell')
  assert.equal(await findBrowser({ ...places, wants: 'full' }), null)
})

test('the browser of the npm package is used, with its own libraries, if there is no other browser', async t => {
  const { places } = await machineWith(t)
  const sparticuz = async () => ({ executablePath: async () => '/unpacked/chromium' })
  const found = await findBrowser({ ...places, sparticuz, wants: 'shell' })
  assert.equal(found?.from, 'sparticuz')
  assert.match(found.env?.LD_LIBRARY_PATH ?? '', /^\/unpacked\//)
})

test('if the settings name the path of a browser, no other browser is used', async t => {
  const { root, places } = await machineWith(t, 'bin/chromium', 'mine')
  const found = await findBrowser({ ...places, wants: 'shell', path: join(root, 'mine') })
  assert.deepEqual([found?.from, found?.executablePath], ['setting', join(root, 'mine')])
  const missing = await findBrowser({ ...places, wants: 'shell', path: '/no/such/browser' }).catch(asFailure)
  assert.match(String(missing), /SCRAPER_BROWSER_PATH \/no\/such\/browser is not a program/)
})

test('the error for a missing browser is one line that says how to install one', () => {
  const { code, message } = browserMissing('shell')
  assert.equal(code, 'browser.missing')
  assert.match(message, /apt-get install -y chromium.*kscrape doctor --fix/)
  assert.ok(!message.includes('\n'))
})
