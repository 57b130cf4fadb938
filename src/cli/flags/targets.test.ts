// What is taken for a URL, and what is suggested in place of one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTargets, looksLikeHost } from './targets.ts'

test('URLs pass, also of names in other scripts', () => {
  checkTargets([
    'https://example.com',
    'HTTP://EXAMPLE.COM/x?y#z',
    'http://münchen.example/ü',
    'http://[2001:db8::1]:8080/',
  ])
})

test('what lacks a scheme is told with the one that was probably meant', () => {
  const meant: Array<[string, RegExp]> = [
    ['example.com', /did you mean https:\/\/example\.com\/ \?/],
    ['example.com:8443/a?b', /did you mean https:\/\/example\.com:8443\/a\?b \?/],
    ['localhost:3000', /did you mean http:\/\/localhost:3000\/ \?/],
    ['127.0.0.1/x', /did you mean http:\/\/127\.0\.0\.1\/x \?/],
    ['münchen.example', /did you mean https:\/\/xn--mnchen-3ya\.example\/ \?/],
    ['https://', /is not a valid URL/],
    ['mailto://a', /is mailto, and only http and https/],
    ['nonsense', /is no URL; write it like https:/],
  ]
  for (const [text, message] of meant) assert.throws(() => checkTargets([text]), message, text)
})

test('commands and files are not taken for hosts', () => {
  for (const text of ['crawl', 'demo-site', '--help', 'a b.c', '-'])
    assert.equal(looksLikeHost(text), false, text)
})
