// Tests the SQS intake of a service: each message becomes one task, whichever process dies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitDataDirectory } from '../../../src/roles/data-directory.ts'
import { until } from '../../support/cluster.ts'
import { TestService } from '../../support/service.ts'
import { startSqs, type TestQueue } from '../../support/services/sqs.ts'
import { Workplace } from '../run-cli.ts'

const settings = (queue: TestQueue) => ({
  ...{ sqsQueueUrl: queue.queueUrl, sqsDeadLetterUrl: queue.deadLetterUrl, sqsJobIdleMs: 200 },
  ...{ s3AccessKeyId: 'test', s3SecretAccessKey: 'test' },
})

/** A message in the documented format. */
const message = (job: string, item: string, scraper = 'example-mock') => ({
  job_id: job,
  item_id: item,
  scraper_id: scraper,
  input: { test_param: item },
})

const stateOf = async ({ service }: TestService, jobId: string) =>
  (await service.engine.data.store.jobs.get(jobId))?.state
const itemsOf = async ({ service }: TestService, jobId: string) =>
  (await service.engine.data.store.tasks.list(jobId)).map(({ itemId, state }) => `${itemId} ${state}`)

test('messages become items of a job without duplicates; without new messages the job ends, and a later one reopens it', async () => {
  await using queue = await startSqs()
  await using service = await TestService.open({ settings: settings(queue) })
  const items = Array.from({ length: 23 }, (_, index) => message('from-queue', `item-${index}`))
  await queue.send(...items, ...items.slice(0, 5))
  await until('the job to end', async () => (await stateOf(service, 'from-queue')) === 'completed')
  await until('the queue to be empty', () => queue.depth() === 0)
  assert.equal((await itemsOf(service, 'from-queue')).length, 23)

  await queue.send(message('from-queue', 'item-late'), message('from-queue', 'item-1'))
  await until('the late item to be done', async () =>
    (await itemsOf(service, 'from-queue')).includes('item-late succeeded'),
  )
  await until('the job to end again', async () => (await stateOf(service, 'from-queue')) === 'completed')
  assert.equal((await itemsOf(service, 'from-queue')).length, 24)
  const { body } = await service.ask('/jobs/from-queue/results?status=all&part=1')
  assert.equal((body.items as unknown[]).length, 24)
})

test('a message that cannot become a task goes to the dead-letter queue with the reason, and blocks no other message', async () => {
  await using queue = await startSqs()
  await using service = await TestService.open({ settings: settings(queue) })
  await queue.send(
    'not json',
    { job_id: 'mixed', item_id: 'x' },
    message('mixed', 'good'),
    { ...message('mixed', 'good'), input: { test_param: 'another' } },
    message('mixed', 'elsewhere', 'example-http'),
    message('unknown', 'x', 'no-such-scraper'),
    { ...message('mixed', 'more'), priority: 1 },
  )
  await until('six dead letters', async () => (await queue.buried()).length === 6)
  await until('the job to end', async () => (await stateOf(service, 'mixed')) === 'completed')
  assert.deepEqual(await itemsOf(service, 'mixed'), ['good succeeded'])
  assert.equal(queue.depth(), 0)
  const reasons = (await queue.buried())
    .map(letter => letter.MessageAttributes?.reason?.StringValue ?? '')
    .join('\n')
  for (const part of [
    /not JSON/,
    /input:/,
    /another input/,
    /runs scraper "example-mock"/,
    /no-such-scraper/,
    /priority/,
  ])
    assert.match(reasons, part)
})

test('if a service is killed after it stored a message as a task and before it deleted the message, no message is lost or becomes two tasks', async () => {
  await using queue = await startSqs()
  await using place = await Workplace.open()
  const env = {
    SCRAPER_SQS_QUEUE_URL: queue.queueUrl,
    SCRAPER_SQS_DEAD_LETTER_URL: queue.deadLetterUrl,
    SCRAPER_SQS_JOB_IDLE: '200ms',
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', SCRAPER_PORT: '0' },
  }
  await queue.send(...Array.from({ length: 4 }, (_, index) => message('killed', `item-${index}`)))
  const first = place.start(['serve'], { env: { ...env, KILLPOINT: 'intake.after_commit_before_delete:1' } })
  assert.equal((await first.ended).signal, 'SIGKILL')
  assert.equal(queue.depth(), 4)

  await queue.showAgain()
  const second = place.start(['serve'], { env })
  await until('the queue to be empty', () => queue.depth() === 0)
  second.child.kill('SIGTERM')
  await second.ended
  await using data = await visitDataDirectory(place.file('.kscrape'))
  const items = await data.store.tasks.list('killed')
  assert.deepEqual(items.map(({ itemId }) => itemId).sort(), ['item-0', 'item-1', 'item-2', 'item-3'])
})
