// Tests Playwright's storageState in both directions: a file of Playwright logs our browser in, and our session logs Playwright in.
import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { findBrowser } from '../../src/fetch/browser/index.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { Workplace } from './run-cli.ts'

/** A page that shows the token and the notes that its browser stored, and then stores another note. */
const page = `<p id="told"></p><script>
document.getElementById('told').textContent = 'token ' + localStorage.getItem('token') + ', ' + document.cookie
localStorage.setItem('note', 'written here')
</script>`

let site: TestSite
let place: Workplace
let browser: Browser
before(async () => {
  site = await startTestSite()
  site.serve('/stored', page)
  place = await Workplace.open()
  const { executablePath } = (await findBrowser({ wants: 'shell' }))!
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
after(async () => {
  await browser?.close()
  await place?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const scrape = async (...flags: string[]): Promise<string> => {
  const { code, stdout, stderr } = await place.run([
    ...['scrape', `${site.url}/stored`, '--render', 'always', '--format', 'text', '--quiet'],
    ...['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`, ...flags],
  ])
  assert.equal(code, 0, stderr)
  return stdout
}

/** A file that Playwright itself wrote. */
async function writtenByPlaywright(): Promise<string> {
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(`${site.url}/stored`)
  await tab.evaluate(`localStorage.setItem('token', 'sesame'); document.cookie = 'sid=7'`)
  const path = place.file('playwright.json')
  await context.storageState({ path })
  await context.close()
  return path
}

test('a Playwright storage state is imported with its local storage, and can be exported for Playwright', async () => {
  const file = await writtenByPlaywright()
  const imported = await place.run(['sessions', 'import', 'club', file])
  assert.match(imported.stderr, /stored 1 cookie of 127\.0\.0\.1 and the storage of 1 site as "club"/)
  assert.doesNotMatch(imported.stdout + imported.stderr, /sesame/)
  assert.match(await scrape('--session', 'club'), /token sesame, sid=7/)

  const exported = await place.run(['sessions', 'export', 'club', '-o', 'ours.json'])
  assert.equal(exported.code, 0, exported.stderr)
  assert.equal((await stat(place.file('ours.json'))).mode & 0o777, 0o600)
  const context = await browser.newContext({ storageState: place.file('ours.json') })
  const tab = await context.newPage()
  await tab.goto(`${site.url}/stored`)
  assert.equal(await tab.textContent('#told'), 'token sesame, sid=7')
  assert.equal(await tab.evaluate(`localStorage.getItem('note')`), 'written here')
  await context.close()
})

test('--cookies with a Playwright storage state includes its local storage', async () => {
  const file = await writtenByPlaywright()
  assert.match(await scrape('--cookies', file), /token sesame, sid=7/)
})

test('the warning of an import names data that cannot be stored, and an invalid file is refused', async () => {
  const state = JSON.parse(await readFile(await writtenByPlaywright(), 'utf8'))
  state.origins[0].indexedDB = [{ name: 'db', version: 1, stores: [] }]
  await writeFile(place.file('more.json'), JSON.stringify(state))
  const { code, stderr } = await place.run(['sessions', 'import', 'more', 'more.json'])
  assert.deepEqual([code, /indexedDB was not stored/.test(stderr)], [0, true], stderr)

  state.origins[0].origin = 'shop.example'
  await writeFile(place.file('wrong.json'), JSON.stringify(state))
  const wrong = await place.run(['sessions', 'import', 'wrong', 'wrong.json'])
  assert.deepEqual([wrong.code, /origins\[0\].*https:\/\/shop\.example/.test(wrong.stderr)], [2, true])
  const unknown = await place.run(['sessions', 'export', 'nobody', '-o', 'none.json'])
  assert.deepEqual([unknown.code, /there is no session "nobody"/.test(unknown.stderr)], [2, true])
})
