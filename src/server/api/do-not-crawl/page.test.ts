// Tests that text that site owners enter on the opt-out page is never shown as markup.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { HostListing } from '../../../model/conduct.ts'
import { formPage, pagePolicy, problemPage, requestPage } from './page.ts'

const listing = (change: Partial<HostListing> = {}): HostListing =>
  ({ id: 'dnc-1', pattern: 'shop.example', state: 'requested', token: 'tok', ...change }) as HostListing
const evil = `"><script>alert('x')</script>&`

test('text that site owners enter is escaped on every page', () => {
  const pages = [
    formPage({ problem: evil, host: evil }),
    problemPage(evil),
    requestPage(listing({ pattern: evil }), [evil]),
  ]
  for (const page of pages) {
    assert.doesNotMatch(page, /<script/)
    assert.match(page, /&quot;&gt;&lt;script&gt;alert\(&#39;x&#39;\)/)
  }
})

test('the content security policy allows the style of the page by its hash, and by default no resource', () => {
  const style = /<style>([\s\S]*)<\/style>/.exec(formPage())![1]!
  assert.ok(pagePolicy().includes(createHash('sha256').update(style).digest('base64')))
  assert.match(pagePolicy(), /default-src 'none'/)
})

test('the page of a request shows its ownership token until the site is excluded', () => {
  const open = requestPage(listing())
  assert.match(open, /tok/)
  assert.match(open, /shop\.example/)
  assert.doesNotMatch(open, /role="alert"/)
  assert.match(requestPage(listing(), ['DNS has no record']), /role="alert".*DNS has no record/s)
  for (const state of ['proved', 'approved'] as const)
    assert.doesNotMatch(requestPage(listing({ state })), /<form|tok\b/)
})
