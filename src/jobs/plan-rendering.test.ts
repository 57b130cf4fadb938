// Tests the browser options of a job, and which of them contradict each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobSpecInput, jobSpec } from '../model/job.ts'
import { alwaysWhy } from '../model/policy/render-mode.ts'
import { plannedRendering } from './plan-rendering.ts'

const planned = (spec: JobSpecInput) =>
  plannedRendering(jobSpec.parse({ urls: ['https://a.example/'], ...spec }))

test('by default no browser is used, even if the job has a session', () => {
  assert.equal(planned({}).render, 'never')
  assert.equal(planned({ session: 'shop' }).render, 'never')
})

for (const spec of [
  { render: true },
  { rendering: { screenshot: true } },
  { rendering: { js: 'document.title' } },
  { rendering: { waitFor: '.price' } },
  { rendering: { block: ['images' as const] } },
  { browser: 'stealth' as const },
  { render: 'auto' as const, rendering: { pdf: true } },
])
  test(`with ${JSON.stringify(spec)}, every page uses the browser`, () => {
    assert.equal(planned(spec).render, 'always')
    assert.ok(alwaysWhy(jobSpec.parse(spec)))
  })

test('browser options do not change an explicit render mode', () => {
  assert.equal(planned({ render: 'auto', session: 'shop', rendering: { block: ['ads'] } }).render, 'auto')
})

test('options that need a browser are refused together with `never`', () => {
  assert.throws(() => planned({ render: 'never', rendering: { screenshot: true, pdf: true } }), {
    code: 'input.invalid',
    message: /render is never, but screenshot, pdf need the browser/,
  })
  assert.throws(() => planned({ render: false, browser: 'stealth' }), {
    message: /stealth needs the browser/,
  })
})

test('the option full_page is refused if the job takes no screenshot', () => {
  assert.throws(() => planned({ rendering: { fullPage: true } }), { message: /full_page/ })
})
