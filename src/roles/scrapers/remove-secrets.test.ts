// Tests which values are removed from a recording as secrets, and which stay.
import assert from 'node:assert/strict'
import test from 'node:test'
import { sensitivityOf } from '../../lib/secrets/sensitive-names.ts'
import { KnownSecrets } from './known-secrets.ts'
import { cutJson, cutLinks, cutSentBody, cutUrl } from './remove-secrets.ts'

test('names of secrets are detected in every letter case, and ordinary names are not detected', () => {
  for (const name of [
    'Authorization',
    'X-Api-Key',
    'apikey',
    'accessToken',
    'PASSWORD',
    'Set-Cookie',
    'csrf_token',
    'sid',
  ])
    assert.notEqual(sensitivityOf(name), null, name)
  for (const name of [
    'author',
    'keyword',
    'q',
    'page',
    'tokens_used_by',
    'content-type',
    'etag',
    'monkey',
    'passenger',
  ])
    assert.equal(sensitivityOf(name), null, name)
})

test('from a URL, the user, the password and the values of sensitive parameters are removed, and nothing else', () => {
  assert.equal(
    cutUrl('https://ann:pw123456@example.com/a?q=token&api_key=abc%20d&page=2#access_token=xyz'),
    'https://example.com/a?q=token&api_key=REDACTED&page=2#access_token=REDACTED',
  )
  const plain = 'https://example.com/a%2Fb?x=%7Bkey%7D&empty&y='
  assert.equal(cutUrl(plain), plain)
})

test('secrets are removed from forms and JSON; other bodies stay', () => {
  assert.equal(cutSentBody('user=ann&password=hunter22'), 'user=ann&password=REDACTED')
  assert.equal(
    cutSentBody('{"user":"ann","auth":{"token":"abc"}}'),
    '{"user":"ann","auth":{"token":"REDACTED"}}',
  )
  assert.equal(cutSentBody('<soap password="x">'), '<soap password="x">')
  assert.deepEqual(cutJson({ list: [{ secret: 7, kept: null }] }), {
    list: [{ secret: 'REDACTED', kept: null }],
  })
})

test('signed links in a page lose their signatures, and the page keeps everything else', () => {
  assert.equal(
    cutLinks('<a href="/f?id=7&amp;signature=abc%2B"> a = b; key=5 </a>'),
    '<a href="/f?id=7&amp;signature=REDACTED"> a = b; key=5 </a>',
  )
})

test('the removal of a cookie that is not a secret does not damage words of a page', () => {
  const known = new KnownSecrets()
  known.addHeader('set-cookie', 'country=Germany; Path=/')
  known.addHeader('cookie', 'session=9f86d081884c; theme=default')
  assert.equal(known.cutText('Germany, default, 9f86d081884c'), 'Germany, default, REDACTED')
})

test('the password of basic authentication is removed too', () => {
  const known = new KnownSecrets()
  known.addHeader('authorization', `Basic ${Buffer.from('ann:correct horse').toString('base64')}`)
  assert.equal(known.cutText('hello ann, "correct horse"'), 'hello ann, "REDACTED"')
})
