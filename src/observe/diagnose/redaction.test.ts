// Secrets in a diagnosis: cut by their name, and by their value wherever it stands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SettingsInput, settingsSchema } from '../../config/settings.ts'
import { redactionFor, shownSettings } from './redaction.ts'

const settingsOf = (given: SettingsInput = {}) => settingsSchema.parse(given)

test('a value that is named like a secret is cut; ids of keys and places of pages stay', () => {
  const redact = redactionFor(settingsOf())
  const shown = redact({ password: 'abc', keyId: 'key-1', rawKey: 'raw/1', nested: [{ apiKey: 'x' }] })
  assert.notEqual(shown.password, 'abc')
  assert.notEqual(shown.nested[0]!.apiKey, 'x')
  assert.deepEqual([shown.keyId, shown.rawKey], ['key-1', 'raw/1'])
})

test('a value that is known to be secret is cut in every text, and in names', () => {
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

test('passwords in addresses of settings are secrets, as written and decoded', () => {
  const redact = redactionFor(settingsOf({ databaseUrl: 'postgres://me:s3cret%40pass@db.example/x' }))
  const text = redact('tried s3cret%40pass, then s3cret@pass')
  assert.doesNotMatch(text, /s3cret/)
})

test('a password that is no valid encoding stops no diagnosis', () => {
  const redact = redactionFor(settingsOf({ databaseUrl: 'postgres://me:one-hundred%@db.example/x' }))
  assert.doesNotMatch(redact('with one-hundred%'), /one-hundred/)
})

test('addresses lose their user, whoever it is', () => {
  assert.doesNotMatch(redactionFor(settingsOf())('see https://me:hidden-word@a.example/'), /hidden-word/)
})

test('settings are shown with where they come from; secret ones are not shown', () => {
  const shown = shownSettings(
    settingsOf({ serviceKey: 'very-secret-key-of-32-characters', webhookUrl: 'https://hooks.example/T0KEN' }),
  ) as Record<string, { value: unknown; isDefault: boolean }>
  assert.doesNotMatch(JSON.stringify(shown), /very-secret-key-of-32-characters|T0KEN/)
  assert.match(String(shown.webhookUrl?.value), /^https:\/\/hooks\.example/)
  assert.equal(shown.serviceKey?.isDefault, false)
  assert.equal(shown.leaseMs?.isDefault, true)
})
