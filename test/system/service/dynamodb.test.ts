// Tests the DynamoDB mirror of a service, which has job items with their states. After any kill, no item is lost or gets an older
// state.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDynamoDbMirror } from '../../../src/adapters/dynamodb/mirror.ts'
import { Failure } from '../../../src/model/failures.ts'
import { defineScraper } from '../../../src/scraper/define-scraper.ts'
import { until } from '../../support/cluster.ts'
import { someAttempt, someJob, someTask } from '../../support/results-parts.ts'
import { TestService } from '../../support/service.ts'
import { startDynamoDb, type TestDynamoDb } from '../../support/services/dynamodb.ts'
import { Workplace } from '../run-cli.ts'

const picky = defineScraper({
  id: 'picky',
  version: '1',
  async run({ input, emit }) {
    const { fails } = input as { fails?: boolean }
    if (fails) throw new Failure('extract.site-changed', 'the page has no price')
    emit({ ok: true })
  },
})

const settings = ({ url, table }: TestDynamoDb) => ({
  ...{ dynamodbTable: table, dynamodbEndpoint: url, s3AccessKeyId: 'test', s3SecretAccessKey: 'test' },
})

const job = (jobId: string) => ({
  job_id: jobId,
  scraper_id: 'picky',
  results: { layout: 'items' },
  items: [
    { item_id: 'good', input: {} },
    { item_id: 'bad', input: { fails: true } },
  ],
})

test('items are stored in DynamoDB with status, attempts, errors and storage keys, and the job with its failure metrics', async () => {
  await using table = await startDynamoDb()
  await using service = await TestService.open({ settings: settings(table), scrapers: [picky] })
  await service.ask('/jobs', { method: 'POST', body: job('mirrored') })
  await until('the job to be mirrored', async () => {
    const { '#job': summary } = await table.items('mirrored')
    return summary?.status === 'partially_completed'
  })
  const { good, bad, '#job': summary } = await table.items('mirrored')
  assert.deepEqual([good?.status, good?.attempts, good?.retry_count], ['success', 1, 0])
  const keys = good?.storage_keys as Record<string, string>
  assert.equal(keys.data, 'jobs/mirrored/items/good/data.json')
  assert.deepEqual(
    [bad?.status, bad?.error_type, bad?.error_message],
    ['error', 'extract.site-changed', 'the page has no price'],
  )
  assert.match(String(bad?.last_attempt_at), /^\d{4}-.*Z$/)
  assert.deepEqual(
    [summary?.total_items, summary?.success_count, summary?.error_count, summary?.failure_rate],
    [2, 1, 1, 0.5],
  )
  const { body } = await service.ask('/jobs/mirrored/failure-metrics')
  assert.deepEqual(
    [body.total_count, body.success_count, body.error_count, body.failure_rate, body.breaker],
    [2, 1, 1, 0.5, null],
  )
})

test('a service that is killed between sending and acknowledging sends the items again, and no item is lost', async () => {
  await using table = await startDynamoDb()
  await using place = await Workplace.open()
  const env = {
    ...{ SCRAPER_DYNAMODB_TABLE: table.table, SCRAPER_DYNAMODB_ENDPOINT: table.url, SCRAPER_PORT: '0' },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  }
  const items = [{ item_id: 'one', input: { test_param: 'x' } }]
  const first = place.start(['serve', '--json'], {
    env: { ...env, KILLPOINT: 'mirror.after_send_before_forget:1', SCRAPER_API_KEY: 'a-key-of-16-or-more' },
  })
  const url = await listening(first)
  await fetch(`${url}/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer a-key-of-16-or-more' },
    body: JSON.stringify({ job_id: 'killed', scraper_id: 'example-mock', items }),
  })
  assert.equal((await first.ended).signal, 'SIGKILL')

  const second = place.start(['serve'], { env })
  await until(
    'the job to be mirrored',
    async () => (await table.items('killed'))['#job']?.status === 'completed',
  )
  assert.equal((await table.items('killed')).one?.status, 'success')
  second.child.kill('SIGTERM')
  await second.ended
})

async function listening(running: ReturnType<Workplace['start']>): Promise<string> {
  const found = () => /http:\/\/127\.0\.0\.1:\d+/.exec(running.stderr() + running.stdout())?.[0]
  await until('the service to listen', () => found() !== undefined)
  return found()!
}

test('in DynamoDB, an older version of an item never replaces a newer one', async () => {
  await using table = await startDynamoDb()
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  await using mirror = await openDynamoDbMirror({
    ...{ table: table.table, endpoint: table.url, region: 'us-east-1', credentials },
  })
  const item = (version: number, state: 'in_progress' | 'succeeded') => ({
    ...{ version, job: someJob(), task: someTask(1, { state }), attempts: [someAttempt()], storageKeys: {} },
  })
  const { signal } = new AbortController()
  await mirror.send([item(7, 'succeeded')], [], signal)
  await mirror.send([item(6, 'in_progress')], [], signal)
  assert.equal((await table.items('job-1'))['task-1']?.status, 'success')
})

test('while the DynamoDB table is missing, changes wait in the store', async () => {
  await using table = await startDynamoDb('other-table')
  const wrong = { ...settings(table), dynamodbTable: 'not-there' }
  const service = await TestService.open({ settings: wrong, scrapers: [picky] })
  await service.ask('/jobs', { method: 'POST', body: job('waiting') })
  await until('the warning in the log', () =>
    service.logged.some(line => JSON.stringify(line).includes('create the table with the keys job_id')),
  )
  await until('the job to end', async () =>
    ['partially_completed'].includes(
      (await service.service.engine.data.store.jobs.get('waiting'))?.state ?? '',
    ),
  )
  await service.close()
  await using again = await TestService.open({ settings: settings(table), scrapers: [picky] }, service.folder)
  await until('the items in the table', async () => (await table.items('waiting')).bad?.status === 'error')
  assert.equal((await table.items('waiting')).good?.status, 'success')
  assert.ok(again.url)
})
