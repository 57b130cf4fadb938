// The log and the signals that the commands of a service share.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../config/settings.ts'
import { openServiceLog } from './service-process.ts'

test('the log of a service contains no key and no password of the settings', () => {
  const settings = settingsSchema.parse({
    credentialsKey: 'key-of-credentials',
    s3SecretAccessKey: 'key-of-bucket',
    databaseUrl: 'postgres://kscrape:p%40ss-of-database@db.example/kscrape',
    smtpUrl: 'smtp://mail:p%40ss-of-mail@mail.example:25',
  })
  let text = ''
  const log = openServiceLog(settings, { json: true }, line => {
    text += line
  })

  log.warn({ url: settings.databaseUrl }, 'p@ss-of-database, p@ss-of-mail, key-of-bucket, key-of-credentials')

  assert.match(text, /REDACTED/)
  assert.doesNotMatch(text, /ss-of-|key-of-/)
})
