// What users see of one process, again on a cluster: the same suites over PostgreSQL, Redis and S3, on one set of services.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import { startRedis, type TestRedis } from '../support/services/redis.ts'
import { startS3, type TestS3 } from '../support/services/s3.ts'

const suites = [
  'service-remote',
  'service-jobs',
  'service-ingest',
  'service-uploads',
  'service-search',
  'service-schedules',
  'service-webhooks',
  'service-fetch',
  'scrape-face',
]

describe('on the services of a cluster', { concurrency: 2 }, () => {
  let postgres: TestPostgres
  let redis: TestRedis
  let s3: TestS3
  before(async () => {
    ;[postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
  })
  after(async () => {
    for (const service of [postgres, redis, s3]) await service?.[Symbol.asyncDispose]()
  })

  for (const suite of suites)
    test(`${suite} holds as it does in one process`, async () => {
      const set = {
        postgresUrl: `postgres://kscrape@127.0.0.1:${postgres.port}/postgres`,
        redisUrl: redis.url,
        s3Url: s3.url,
      }
      const { code, output } = await runSuite(suite, set)
      assert.equal(code, 0, output.slice(-8_000))
    })
})

async function runSuite(suite: string, set: object): Promise<{ code: number | null; output: string }> {
  const file = join(import.meta.dirname, `${suite}.test.ts`)
  // A child of a test is taken for one of its subtests unless it forgets where it comes from.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, ['--test', '--disable-warning=ExperimentalWarning', file], {
    env: { ...env, TEST_CLUSTER: JSON.stringify(set) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (output += text))
  process.once('exit', () => child.kill('SIGKILL'))
  await once(child, 'close')
  return { code: child.exitCode, output }
}
