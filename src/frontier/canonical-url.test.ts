// Tests the canonical form of real URLs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalUrl, givenUrl, hostOf } from './canonical-url.ts'

const sorted = { query: 'sort' } as const
const canonical = (raw: string, base?: string) => canonicalUrl(raw, sorted, base)

test('scheme, host, port and dot segments are normalized, and the fragment is removed', () => {
  assert.equal(canonical('HTTP://Example.COM:80/a/./b/../c#top'), 'http://example.com/a/c')
  assert.equal(canonical('https://example.com:443'), 'https://example.com/')
  assert.equal(canonical('https://example.com.:8443/'), 'https://example.com:8443/')
  assert.equal(canonical('https://bücher.example/'), 'https://xn--bcher-kva.example/')
})

test('a password never becomes part of a stored URL', () => {
  assert.equal(canonical('https://user:secret@example.com/a'), 'https://example.com/a')
})

test('percent-encoding is unified, and invalid encoding is left unchanged', () => {
  assert.equal(canonical('https://example.com/%7euser/%c3%a9'), 'https://example.com/~user/%C3%A9')
  assert.equal(canonical('https://example.com/é'), 'https://example.com/%C3%A9')
  assert.equal(canonical('https://example.com/100%/%2f'), 'https://example.com/100%/%2F')
})

test('tracking parameters are dropped, parameters of the page stay', () => {
  const tracked =
    'https://example.com/a?utm_source=x&id=7&fbclid=1&gclid=2&msclkid=3&mc_eid=4&_ga=5&UTM_Medium=y'
  assert.equal(canonical(tracked), 'https://example.com/a?id=7')
  assert.equal(
    canonical('https://example.com/a?ref=home&source=x'),
    'https://example.com/a?ref=home&source=x',
  )
  assert.equal(canonical('https://example.com/a?utm_source=x'), 'https://example.com/a')
  assert.equal(canonical('https://example.com/a?'), 'https://example.com/a')
})

test('session ids are dropped from paths and queries, and short parameters are not mistaken for session ids', () => {
  assert.equal(canonical('https://example.com/a;jsessionid=1A2B?x=1'), 'https://example.com/a?x=1')
  assert.equal(canonical('https://example.com/(S(lit3py55t21z5v55vlm25s55))/a'), 'https://example.com/a')
  assert.equal(
    canonical('https://example.com/?sid=0123456789abcdef0123456789abcdef&x=1'),
    'https://example.com/?x=1',
  )
  assert.equal(canonical('https://example.com/?PHPSESSID=abc'), 'https://example.com/')
  assert.equal(
    canonical('https://example.com/?sid=42&session_id=7'),
    'https://example.com/?session_id=7&sid=42',
  )
})

test('a dot segment with a session id is still resolved', () => {
  assert.equal(canonical('https://example.com/a/..;jsessionid=1/b'), 'https://example.com/b')
})

test('a query is sorted by name, and equal names keep their order; with `query: keep` it is unchanged', () => {
  const raw = 'https://example.com/?b=2&a=1&b=1'
  assert.equal(canonical(raw), 'https://example.com/?a=1&b=2&b=1')
  assert.equal(canonicalUrl(raw, { query: 'keep' }), raw)
})

test('relative URLs resolve against the base', () => {
  assert.equal(canonical('../c?x#y', 'https://example.com/a/b/'), 'https://example.com/a/c?x')
  assert.equal(canonical('//other.example/x', 'https://example.com/'), 'https://other.example/x')
  assert.equal(canonical('', 'https://example.com/a?b#c'), 'https://example.com/a?b')
})

test('a URL that is not a web page has no canonical form', () => {
  const none = [
    'mailto:a@example.com',
    'javascript:void(0)',
    'ftp://example.com/',
    'http://',
    'http://[::1',
    'nonsense',
    '//',
    '',
  ]
  for (const raw of none) assert.equal(canonical(raw), null, raw)
  assert.equal(canonical('http://a.example:99999/'), null)
  assert.equal(canonical('http://a..example../'), null)
})

test('a URL longer than 8,192 characters is refused, unless it is short enough without its fragment', () => {
  assert.equal(canonical(`https://example.com/${'a'.repeat(8_192)}`), null)
  assert.equal(canonical(`https://example.com/a#${'b'.repeat(20_000)}`), 'https://example.com/a')
  assert.equal(canonical(`https://example.com/${'a'.repeat(1_000_000)}`), null)
})

test('the host of a URL is the part after the scheme, with its port', () => {
  assert.equal(hostOf('https://example.com/a//b'), 'example.com')
  assert.equal(hostOf('http://[::1]:8080/'), '[::1]:8080')
})

test('a URL that the caller gives keeps its path and every parameter', () => {
  const unchanged = [
    'https://example.com/a?utm_source=x&id=7&gclid=2',
    'https://example.com/?s=0123456789abcdef0123456789abcdef&PHPSESSID=abc',
    'https://example.com/a;jsessionid=1A2B/%7euser/%c3%a9?b=2&a=1&&c',
    'https://bucket.example/doc.pdf?X-Amz-Signature=ab%2fcd&X-Amz-Date=1',
    'https://example.com/a?',
  ]
  for (const url of unchanged) assert.equal(givenUrl(url), url)
})

test('a URL that the caller gives loses its fragment and user info, and its host is normalized', () => {
  assert.equal(givenUrl('HTTP://user:secret@Example.COM:80/a/../b?x#top'), 'http://example.com/b?x')
  assert.equal(givenUrl('https://example.com.:8443/?a'), 'https://example.com:8443/?a')
  assert.equal(givenUrl('c?x', 'https://example.com/a/b'), 'https://example.com/a/c?x')
  for (const raw of ['mailto:a@example.com', 'nonsense', '', `https://example.com/${'a'.repeat(9_000)}`])
    assert.equal(givenUrl(raw), null)
})

test('`query: keep` keeps tracking and session parameters too', () => {
  const raw = 'https://example.com/a;jsessionid=1?utm_source=x&PHPSESSID=1&b=2&&a=1'
  assert.equal(canonicalUrl(raw, { query: 'keep' }), raw)
  assert.equal(canonicalUrl('https://example.com/a?', { query: 'keep' }), 'https://example.com/a')
})
