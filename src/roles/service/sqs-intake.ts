// The SQS intake turns messages of the configured queue into tasks.
import { openSqsMessages } from '../../adapters/sqs/messages.ts'
import type { Settings } from '../../config/settings.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { Failure } from '../../model/failures.ts'
import type { Mark } from '../../pipeline/coordinate/context.ts'
import { type IntakeEvent, takeMessages } from '../../pipeline/submit/take-messages.ts'
import type { Store } from '../../ports/store.ts'
import type { Registry } from '../../scraper/registry.ts'
import type { JobEngine, Log } from '../../server/parts.ts'
import { armFaultPoint } from '../fault-point.ts'

export interface IntakeOwner {
  settings: Settings
  log: Log
  store: Store
  registry: Registry
  engine: Pick<JobEngine, 'submit' | 'fed'>
  mark?: Mark
}

/** Runs until the signal is aborted. Returns at once if no queue is set. */
export async function runSqsIntake(owner: IntakeOwner, stopping: AbortSignal): Promise<void> {
  const { settings, engine, log, store, registry, mark = armFaultPoint(settings.killPoint) } = owner
  if (settings.sqsQueueUrl === undefined) return
  await using messages = await openSqsMessages({
    queueUrl: settings.sqsQueueUrl,
    deadLetterUrl: settings.sqsDeadLetterUrl ?? null,
    region: settings.s3Region,
    credentials: credentialsOf(settings),
  })
  const gate = new EgressGate({ allowPrivate: settings.allowPrivate })
  await takeMessages(
    {
      ...{ messages, store, registry, gate, mark, clock: systemClock, tell: logOnce(log) },
      workspace: settings.sqsWorkspace,
      jobDefaults: JSON.parse(settings.sqsJob) as Record<string, unknown>,
      submit: (spec, options) => engine.submit(spec, options),
      fed: added => engine.fed(added),
    },
    stopping,
  )
}

/** The credentials for S3, SQS and DynamoDB; null means that the SDK finds its own. */
export const credentialsOf = ({ s3AccessKeyId, s3SecretAccessKey }: Settings) =>
  s3AccessKeyId && s3SecretAccessKey
    ? { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey }
    : null

export function neededQueue({ sqsQueueUrl }: Settings): void {
  if (sqsQueueUrl === undefined)
    throw new Failure(
      'input.invalid',
      'SCRAPER_SQS_QUEUE_URL is not set; the role sqs-intake needs the address of a queue',
    )
}

/** Logs a problem when it starts or changes, not with every attempt. */
export function logOnce(log: Log): (event: IntakeEvent) => void {
  let trouble = ''
  return event => {
    if (event.is === 'trouble') {
      if (event.failure.message !== trouble)
        log.warn({ err: event.failure }, 'SQS is unavailable; its messages wait in the queue')
      trouble = event.failure.message
      return
    }
    trouble = ''
    if (event.is === 'taken')
      log.debug({ tasks: event.tasks, duplicates: event.duplicates }, 'messages became tasks')
    else
      log.error(
        { message_id: event.message.id, reason: event.reason },
        event.buried
          ? 'a message cannot become a task and went to the dead-letter queue'
          : 'a message cannot become a task; it stays until the redrive policy of the queue moves it',
      )
  }
}
