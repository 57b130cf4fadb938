// Property 33: an extracted URL is https and has no tracking parameters, and its other parts are unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { coerce, normalizeUrl } from '../../src/normalize/index.ts'

const context = { baseUrl: 'https://base.example/a/', language: null, machine: false }
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const value = fc.stringMatching(/^[A-Za-z0-9._~%20-]{0,10}$/).map(encodeURIComponent)
const tracking = fc.constantFrom('utm_source', 'UTM_Medium', 'utm_x', 'fbclid', 'gclid', 'msclkid', 'mc_eid')
const pair = (key: fc.Arbitrary<string>, tracks: boolean) =>
  fc.tuple(key, value).map(([left, right]) => ({ text: `${left}=${right}`, tracks }))
const query = fc.array(fc.oneof(pair(name, false), pair(tracking, true)), { maxLength: 8 })
const address = fc.record({
  scheme: fc.constantFrom('http', 'https', 'HTTP'),
  host: fc.domain(),
  path: fc.webPath(),
  query,
  fragment: fc.option(name),
})
const queryText = (pairs: Array<{ text: string }>) =>
  pairs.length === 0 ? '' : `?${pairs.map(({ text }) => text).join('&')}`

test('Property 33: a URL becomes https, loses tracking parameters, and keeps other parameters in order', () => {
  fc.assert(
    fc.property(address, ({ scheme, host, path, query: pairs, fragment }) => {
      const end = fragment === null ? '' : `#${fragment}`
      const url = coerce(`${scheme}://${host}${path}${queryText(pairs)}${end}`, 'url', context)
      const kept = queryText(pairs.filter(({ tracks }) => !tracks))
      assert.equal(url, new URL(`https://${host}${path}${kept}${end}`).href)
    }),
  )
})

test('Property 33: the URL of a host that may have no https server keeps the scheme http', () => {
  const elsewhere = fc.oneof(
    fc.ipV4(),
    fc.constant('localhost'),
    fc.tuple(fc.domain(), fc.integer({ min: 1024, max: 65_535 })).map(([host, port]) => `${host}:${port}`),
  )
  fc.assert(
    fc.property(elsewhere, host => {
      assert.match(normalizeUrl(`http://${host}/`, context.baseUrl, { forceHttps: true })!, /^http:/)
    }),
  )
})

test('Property 33: any text is handled without an error, and the result is a URL that can be opened', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), text => {
      const url = coerce(text, 'url', context)
      assert.ok(url === null || URL.canParse(url as string))
    }),
  )
})
