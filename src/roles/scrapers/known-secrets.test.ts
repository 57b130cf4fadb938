// Tests that known secrets are removed from every text that repeats them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownSecrets } from './known-secrets.ts'

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

test('a bearer token is removed both with and without the word Bearer before it', () => {
  const secrets = new KnownSecrets()
  secrets.addHeader('Authorization', 'Bearer s3cret-token-1')
  const text = secrets.cutText('a=s3cret-token-1; echo Bearer s3cret-token-1!')
  assert.doesNotMatch(text, /s3cret/)
  assert.match(text, /^a=.*; echo .*!$/)
})

test('the password of basic authentication is removed too', () => {
  const secrets = new KnownSecrets()
  secrets.addHeader('authorization', basic('ann:open-sesame'))
  assert.doesNotMatch(secrets.cutText(`open-sesame ${basic('ann:open-sesame')}`), /sesame|YW5u/)
})

test('only cookie values that look random are removed', () => {
  const secrets = new KnownSecrets()
  secrets.addHeader('Cookie', 'sid=a1b2c3d4e5f6; currency=dollars; note=only words here and more')
  secrets.addHeader('Set-Cookie', 'token=f6e5d4c3b2a1; Path=/Path12345678')
  const text = secrets.cutText('a1b2c3d4e5f6 dollars f6e5d4c3b2a1 only words here and more /Path12345678')
  assert.doesNotMatch(text, /a1b2|f6e5/)
  assert.match(text, /dollars/)
  assert.match(text, /only words here and more \/Path12345678$/)
})

test('bytes without a secret are returned as the same buffer, even if they are not text', () => {
  const secrets = new KnownSecrets()
  secrets.add('geheimnis-ü', 'strong')
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x41])
  assert.equal(secrets.cutBytes(bytes), bytes)
  assert.doesNotMatch(secrets.cutText('das geheimnis-ü da'), /geheimnis/)
})

test('short values and redacted values are not searched for', () => {
  const secrets = new KnownSecrets()
  secrets.add('ab', 'strong')
  assert.equal(secrets.cutText('ab ab'), 'ab ab')
})

test('headers keep their names when their values are removed', () => {
  const secrets = new KnownSecrets()
  secrets.add('s3cret-token-1', 'strong')
  const [[name, value]] = secrets.cutHeaders([['X-Echo', 'is s3cret-token-1']]) as [[string, string]]
  assert.equal(name, 'X-Echo')
  assert.match(value, /^is /)
  assert.doesNotMatch(value, /s3cret/)
})
