// Tests the required settings of a cluster, and the names of its processes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { asDataDirectory, needed, processName } from './services.ts'

test('the error for a missing setting names its variable', () => {
  const none = settingsSchema.parse({})
  for (const [name, variable] of [
    ['databaseUrl', 'DATABASE_URL'],
    ['redisUrl', 'REDIS_URL'],
    ['s3Bucket', 'S3_BUCKET'],
  ] as const)
    assert.throws(() => needed(none, name), { code: 'input.invalid', message: new RegExp(`^${variable}`) })
  assert.equal(needed({ ...none, redisUrl: 'redis://r' }, 'redisUrl'), 'redis://r')
})

test('two roles in one process have different names, and each name begins with its role', () => {
  const [one, two] = [processName('ingest'), processName('ingest')]
  assert.notEqual(one, two)
  assert.match(one, new RegExp(`^ingest-[A-Za-z0-9-]*-${process.pid}-\\d+$`))
})

test('the store and the bucket of a cluster act as a data directory with an absolute path', () => {
  const store = {} as never
  const data = asDataDirectory(settingsSchema.parse({ dataDir: 'here' }), store, {} as never)
  assert.equal(data.store, store)
  assert.ok(data.path.startsWith('/') && data.path.endsWith('/here'))
  assert.equal(data.blobsRoot, `${data.path}/blobs`)
})
