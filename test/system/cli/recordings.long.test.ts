// Tests that recordings of Chrome's recorder run unchanged in a real Chromium, on the playground of the demo site.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { parseDocument } from '../../../src/extract/document/index.ts'
import { openRegexRunner } from '../../../src/extract/regex-runner.ts'
import { applyRules, compileRules } from '../../../src/extract/rules/index.ts'
import type { ActionParts } from '../../../src/fetch/actions/action-types.ts'
import type { DrivenContext } from '../../../src/fetch/browser/driver.ts'
import { openPatchrightDriver, openPlaywrightDriver } from '../../../src/fetch/browser/playwright/driver.ts'
import { readRecording } from '../../../src/jobs/recording-actions.ts'
import { startUrlOf } from '../../../src/model/page/actions.ts'
import { coerce } from '../../../src/normalize/index.ts'
import { type DemoSite, startTestSite } from '../../site/index.ts'
import { type Acted, act, type DrivenBrowser, openDrivenBrowser } from '../../support/driven-context.ts'

let site: DemoSite
before(async () => {
  site = await startTestSite()
})
after(() => site.close())

const extract: ActionParts['extract'] = (html, url, rules) =>
  applyRules(parseDocument(html), compileRules(rules!), {
    url,
    baseUrl: url,
    source: html,
    coerce,
    regex: openRegexRunner(),
  })

const secrets: ActionParts['secrets'] = {
  get: async name => (name === 'PLAY_PASSWORD' ? 'difference-engine' : null),
  names: async () => ['PLAY_PASSWORD'],
}

/** The recordings name a host that does not exist. The test replaces this name by the address of its site. */
export async function recordingOf(name: string): Promise<unknown> {
  const text = await readFile(new URL(`../../recordings/${name}.json`, import.meta.url), 'utf8')
  return JSON.parse(text.replaceAll('http://demo.example', site.url))
}

async function replay(
  context: DrivenContext,
  name: string,
  row: Record<string, unknown> = {},
): Promise<Acted> {
  const { actions } = readRecording(await recordingOf(name), name)
  const url = startUrlOf(actions, row)!
  return act(context, url, actions, { plan: { row }, parts: { extract, secrets } })
}

const dataOf = ({ performed }: Acted) => performed.extracted?.map(({ data }) => data)

for (const [driver, open] of Object.entries({
  playwright: openPlaywrightDriver,
  patchright: openPatchrightDriver,
}))
  test(`recordings run unchanged in the driver ${driver}`, async t => {
    await using browser: DrivenBrowser = await openDrivenBrowser([`${site.host}:${site.port}`], open)
    const context = await browser.openContext()

    await t.test('a recorded form is sent with the recorded values', async () => {
      const run = await replay(context, 'form')
      assert.deepEqual(dataOf(run), [{ name: 'Grace', email: 'grace@example.com', country: 'de' }])
      const won = run.performed.steps.find(({ path }) => path === 'actions[6]')?.selector
      assert.equal(won, 'aria/E-mail', 'the selector that still finds something wins')
      assert.deepEqual(
        run.performed.artifacts.map(({ fileName }) => fileName),
        ['steps.json'],
      )
    })

    await t.test('a recorded form is sent with the values of a row', async () => {
      const run = await replay(context, 'form', { name: 'Ada', country: 'pt' })
      assert.deepEqual(dataOf(run), [{ name: 'Ada', email: 'grace@example.com', country: 'pt' }])
    })

    await t.test('a recording finds elements in shadow roots by their path', async () => {
      assert.deepEqual(dataOf(await replay(context, 'shadow')), [{ said: 'whisper' }])
    })

    await t.test('a recording finds frames by their index', async () => {
      assert.deepEqual(dataOf(await replay(context, 'frames')), [{ count: 2 }])
    })

    await t.test('a recording follows a paginated list to its end', async () => {
      const records = dataOf(await replay(context, 'pagination'))
      assert.equal(records?.length, 12)
      assert.deepEqual(records?.at(-1), { name: 'Item 12' })
    })

    await t.test('a recording downloads and uploads files', async () => {
      const run = await replay(context, 'downloads')
      assert.deepEqual(dataOf(run), [{ got: 'note.txt: for you' }])
      assert.equal(
        await readFile(run.page.downloads[0]!.path, 'utf8'),
        'name,price\nLamp,12.50\nTable,80.00\n',
      )
      assert.deepEqual(
        run.performed.artifacts.map(({ name }) => name),
        ['screenshot'],
      )
    })

    await t.test('a recording logs in with a password from a secret', async () => {
      const [record] = dataOf(await replay(context, 'login'))!
      assert.equal(record?.who, 'Ada Lovelace')
    })

    await t.test('a recording emulates a phone on a slow network, scrolls and opens a pop-up', async () => {
      assert.deepEqual(dataOf(await replay(context, 'windows')), [{ title: 'Opens another' }])
    })
  })
