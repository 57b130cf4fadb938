// What a job asks of the browser, and what it can't ask at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobSpecInput, jobSpec } from '../model/job.ts'
import { alwaysWhy } from '../model/policy/render-mode.ts'
import { plannedRendering } from './plan-rendering.ts'

const planned = (spec: JobSpecInput) =>
  plannedRendering(jobSpec.parse({ urls: ['https://a.example/'], ...spec }))

test('without a word about it, no browser is used; a session is kept without one too', () => {
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
  test(`every page goes through the browser with ${JSON.stringify(spec)}`, () => {
    assert.equal(planned(spec).render, 'always')
    assert.ok(alwaysWhy(jobSpec.parse(spec)))
  })

test('how a browser is used says nothing about when, where that was said', () => {
  assert.equal(planned({ render: 'auto', session: 'shop', rendering: { block: ['ads'] } }).render, 'auto')
})

test('what needs a browser is refused together with a word against it', () => {
  assert.throws(() => planned({ render: 'never', rendering: { screenshot: true, pdf: true } }), {
    code: 'input.invalid',
    message: /render is never, and screenshot, pdf need the browser/,
  })
  assert.throws(() => planned({ render: false, browser: 'stealth' }), {
    message: /stealth needs the browser/,
  })
})

test('the whole page without a screenshot is refused', () => {
  assert.throws(() => planned({ rendering: { fullPage: true } }), { message: /full_page/ })
})
