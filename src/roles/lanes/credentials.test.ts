// Tests where credentials of scrapers come from.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { credentialsBackendOf, localSecrets } from './credentials.ts'

const url = 'https://backend.example/credentials'
const backendOf = (settings: object) => credentialsBackendOf(settingsSchema.parse(settings))

test('a backend for credentials needs its own API key or the key of the service', () => {
  assert.equal(backendOf({}), null)
  assert.throws(() => backendOf({ credentialsUrl: url }), {
    code: 'input.invalid',
    message: /SCRAPER_CREDENTIALS_KEY/,
  })
  assert.equal(
    backendOf({ credentialsUrl: url, serviceKey: 'service-key-0001' })?.serviceKey,
    'service-key-0001',
  )
  const both = { credentialsUrl: url, serviceKey: 'service-key-0001', credentialsKey: 'own-key-00000001' }
  assert.equal(backendOf(both)?.serviceKey, 'own-key-00000001')
})

test('secrets are read from the named file, or from the data directory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-secrets-'))
  try {
    await writeFile(join(folder, 'secrets.env'), 'SHOP_TOKEN=from-data\n', { mode: 0o600 })
    await writeFile(join(folder, 'other.env'), 'SHOP_TOKEN=from-file\n', { mode: 0o600 })
    const read = async (file: string | null) =>
      JSON.stringify(await localSecrets(folder, file).get('SHOP_TOKEN'))
    assert.match(await read(null), /from-data/)
    assert.match(await read(join(folder, 'other.env')), /from-file/)
  } finally {
    await rm(folder, { recursive: true })
  }
})
