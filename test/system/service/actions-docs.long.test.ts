// Tests docs/actions.md: every example runs in a real Chromium, and no action is missing.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse as parseYaml } from 'yaml'
import type { DrivenContext } from '../../../src/fetch/browser/driver.ts'
import { actionTypes } from '../../../src/model/page/actions.ts'
import { parseJobBody } from '../../../src/pipeline/submit/submit-job.ts'
import { type DemoSite, startTestSite } from '../../site/index.ts'
import { act, type DrivenBrowser, openDrivenBrowser } from '../../support/driven-context.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/actions.md'), 'utf8')
const examples = [...page.matchAll(/```json page=(\S+)\n(.*?)```/gs)].map(([, path, text]) => ({
  path: path!,
  text: text!,
}))

let site: DemoSite
let browser: DrivenBrowser
let context: DrivenContext
before(async () => {
  site = await startTestSite()
  browser = await openDrivenBrowser([`${site.host}:${site.port}`])
  context = await browser.openContext()
})
after(async () => {
  await browser[Symbol.asyncDispose]()
  await site.close()
})

const secrets = { get: async () => 'difference-engine', names: async () => [] }

for (const { path, text } of examples)
  test(`the example of docs/actions.md at ${path} runs: ${text.slice(4, 60).trim()}`, async () => {
    const given = JSON.parse(text.replaceAll('http://127.0.0.1:8080', site.url)) as unknown
    const { actions } = parseJobBody({ urls: [`${site.url}${path}`], actions: given })
    const { page } = await act(context, `${site.url}${path}`, actions, {
      plan: { row: { name: 'Ada' } },
      parts: { secrets },
    })
    assert.equal(page.status, 200)
  })

test('the job of docs/actions.md is valid', () => {
  const [, text] = /```yaml\n(.*?)```/s.exec(page)!
  assert.equal(parseJobBody(parseYaml(text!)).actions?.length, 2)
})

test('docs/actions.md has an example of every action', () => {
  const shown = examples.map(({ text }) => text).join()
  const missing = actionTypes.filter(type => !shown.includes(`"type": "${type}"`))
  assert.deepEqual(missing, [])
})
