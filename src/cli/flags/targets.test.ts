// Tests which texts count as URLs, and the suggestions for invalid ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looksLikeHost, targetsOf } from './targets.ts'

test('URLs are used unchanged, also with non-ASCII host names and IPv6 addresses', () => {
  const urls = [
    'https://example.com',
    'HTTP://EXAMPLE.COM/x?y#z',
    'http://münchen.example/ü',
    'http://[2001:db8::1]:8080/',
  ]
  assert.deepEqual(targetsOf(urls), urls)
})

test('a host name without a scheme gets https; localhost and IP addresses get http', () => {
  const meant = {
    'example.com': 'https://example.com/',
    'example.com:8443/a?b': 'https://example.com:8443/a?b',
    'localhost:3000': 'http://localhost:3000/',
    '127.0.0.1/x': 'http://127.0.0.1/x',
    'münchen.example': 'https://xn--mnchen-3ya.example/',
  }
  assert.deepEqual(targetsOf(Object.keys(meant)), Object.values(meant))
})

test('an invalid URL is refused with the reason', () => {
  const refused: Array<[string, RegExp]> = [
    ['https://', /is not a valid URL/],
    ['mailto://a', /is mailto, and only http and https/],
    ['nonsense', /is not a URL; write it like https:/],
    ['package.json', /"package\.json" is a file; `kscrape run package\.json`/],
  ]
  for (const [text, message] of refused) assert.throws(() => targetsOf([text]), message, text)
})

test('commands and files are not mistaken for hosts', () => {
  for (const text of ['crawl', 'demo-site', '--help', 'a b.c', '-'])
    assert.equal(looksLikeHost(text), false, text)
})
