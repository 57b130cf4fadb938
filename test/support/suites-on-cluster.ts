// Runs suites that were written for one process again, on PostgreSQL, Redis and S3.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startPostgres, type TestPostgres } from './services/postgres.ts'
import { startRedis, type TestRedis } from './services/redis.ts'
import { startS3, type TestS3 } from './services/s3.ts'

const root = join(import.meta.dirname, '..')

export interface Suite {
  name: string
  /** Runs only the tests whose title contains this text. */
  only?: string
}

/** Each suite runs in its own process, two at a time. `folder` contains the suites. */
export function onCluster(suites: ReadonlyArray<Suite | string>, folder = 'system'): void {
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
    for (const suite of suites) {
      const { name, only } = typeof suite === 'string' ? { name: suite } : suite
      test(`${name}${only ? ` (${only})` : ''} passes as it does in one process`, async () => {
        const flags = only === undefined ? [] : [`--test-name-pattern=${only}`]
        const { code, output } = await runSuite([...flags, join(root, folder, `${name}.test.ts`)], {
          postgresUrl: `postgres://kscrape@127.0.0.1:${postgres.port}/postgres`,
          redisUrl: redis.url,
          s3Url: s3.url,
        })
        assert.equal(code, 0, output.slice(-8_000))
        assert.match(output, /^# pass [1-9]/m, `no test of ${name} ran`)
      })
    }
  })
}

async function runSuite(args: string[], set: object): Promise<{ code: number | null; output: string }> {
  const own = ['--test-reporter=tap', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...own, ...args], {
    env: { ...process.env, TEST_CLUSTER: JSON.stringify(set) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => (output += text))
  process.once('exit', () => child.kill('SIGKILL'))
  await once(child, 'close')
  return { code: child.exitCode, output }
}
