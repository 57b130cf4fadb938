// Tests the settings and the log lines of the SQS intake.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSchema } from '../../config/settings.ts'
import { Failure } from '../../model/failures.ts'
import type { Log } from '../../server/parts.ts'
import { credentialsOf, logOnce, neededQueue } from './sqs-intake.ts'

test('an access key id without its secret is not a credential', () => {
  const of = (settings: object) => credentialsOf(settingsSchema.parse(settings))
  assert.equal(of({}), null)
  assert.equal(of({ s3AccessKeyId: 'id' }), null)
  assert.deepEqual(of({ s3AccessKeyId: 'id', s3SecretAccessKey: 'key' }), {
    accessKeyId: 'id',
    secretAccessKey: 'key',
  })
})

test('the role sqs-intake needs a queue', () => {
  assert.throws(() => neededQueue(settingsSchema.parse({})), {
    code: 'input.invalid',
    message: /SCRAPER_SQS_QUEUE_URL/,
  })
  neededQueue({ ...settingsSchema.parse({}), sqsQueueUrl: 'https://sqs.example/q' })
})

test('a problem is logged once until it ends, but every message that cannot become a task is logged', () => {
  const lines: string[] = []
  const log = new Proxy(
    {},
    { get: (_, level) => (_fields: object, text: string) => lines.push(`${String(level)} ${text}`) },
  ) as Log
  const tell = logOnce(log)
  const failure = new Failure('queue.unavailable', 'gone')
  const event = [
    ...[
      { is: 'trouble', failure },
      { is: 'trouble', failure },
      { is: 'taken', tasks: 1, duplicates: 0 },
    ],
    { is: 'trouble', failure },
    { is: 'refused', message: { id: 'm1' }, reason: 'no url', buried: true },
    { is: 'refused', message: { id: 'm2' }, reason: 'no url', buried: false },
  ]
  for (const one of event) tell(one as never)
  assert.deepEqual(
    lines.map(line => line.split(' ')[0]),
    ['warn', 'debug', 'warn', 'error', 'error'],
  )
  assert.match(lines[3]!, /dead-letter/)
  assert.notEqual(lines[3], lines[4])
})
