// Tests how secrets in a diagnosis are redacted: by the name of the field, and by their value in any text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SettingsInput, settingsSchema } from '../../config/settings.ts'
import { redactionFor, shownSettings } from './redaction.ts'

const settingsOf = (given: SettingsInput = {}) => settingsSchema.parse(given)

test('a value whose name suggests a secret is redacted; ids of keys and page positions stay', () => {
  const redact = redactionFor(settingsOf())
  const shown = redact({ password: 'abc', keyId: 'key-1', rawKey: 'raw/1', nested: [{ apiKey: 'x' }] })
  assert.notEqual(shown.password, 'abc')
  assert.notEqual(shown.nested[0]!.apiKey, 'x')
  assert.deepEqual([shown.keyId, shown.rawKey], ['key-1', 'raw/1'])
})

test('a known secret is redacted in every text, even in names', () => {
  const redact = redactionFor(settingsOf({ serviceKey: 'very-secret-key-of-32-characters' }), [
    'another-secret',
    undefined,
  ])
  const text = JSON.stringify(
    redact({ note: 'sent very-secret-key-of-32-characters', 'another-secret': [1, null, true] }),
  )
  assert.doesNotMatch(text, /very-secret-key-of-32-characters|another-secret/)
  assert.match(text, /\[1,null,true\]/)
})

test('passwords in URLs of settings are secrets, encoded and decoded', () => {
  const redact = redactionFor(settingsOf({ databaseUrl: 'postgres://me:s3cret%40pass@db.example/x' }))
  const text = redact('tried s3cret%40pass, then s3cret@pass')
  assert.doesNotMatch(text, /s3cret/)
})

test('a password with invalid encoding does not stop a diagnosis', () => {
  const redact = redactionFor(settingsOf({ databaseUrl: 'postgres://me:one-hundred%@db.example/x' }))
  assert.doesNotMatch(redact('with one-hundred%'), /one-hundred/)
})

test('user names and passwords are removed from URLs in a diagnosis', () => {
  assert.doesNotMatch(redactionFor(settingsOf())('see https://me:hidden-word@a.example/'), /hidden-word/)
})

test('settings are shown with their source, and secret settings are hidden', () => {
  const shown = shownSettings(
    settingsOf({ serviceKey: 'very-secret-key-of-32-characters', webhookUrl: 'https://hooks.example/T0KEN' }),
  ) as Record<string, { value: unknown; isDefault: boolean }>
  assert.doesNotMatch(JSON.stringify(shown), /very-secret-key-of-32-characters|T0KEN/)
  assert.match(String(shown.webhookUrl?.value), /^https:\/\/hooks\.example/)
  assert.equal(shown.serviceKey?.isDefault, false)
  assert.equal(shown.leaseMs?.isDefault, true)
})
