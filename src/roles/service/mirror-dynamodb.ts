// Mirrors job items to DynamoDB, if a table is configured.
import { openDynamoDbMirror } from '../../adapters/dynamodb/mirror.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { asFailure } from '../../model/failures.ts'
import { type MirrorParts, mirrorItems } from '../../pipeline/coordinate/outputs/mirror-items.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import type { Log } from '../../server/parts.ts'
import { armFaultPoint } from '../fault-point.ts'
import { credentialsOf } from './sqs-intake.ts'

/** A service loop; runs until the signal is aborted. If no table is set, stops storing changes and returns. */
export async function mirrorDynamoDb(
  { store, blobs, settings, log }: { store: Store; blobs: Blobs; settings: Settings; log: Log },
  stopping: AbortSignal,
): Promise<void> {
  const { dynamodbTable: table, dynamodbEndpoint } = settings
  if (table === undefined)
    return store.itemChanges
      .leave()
      .catch(error =>
        log.warn({ err: asFailure(error) }, 'stored changes for the DynamoDB mirror could not be deleted'),
      )
  await using mirror = await openDynamoDbMirror({
    table,
    endpoint: dynamodbEndpoint ?? null,
    region: settings.s3Region,
    credentials: credentialsOf(settings),
  })
  const publicKey = (key: string) => blobs.publicKey?.(key) ?? key
  const mark = armFaultPoint(settings.killPoint)
  const parts = { store, mirror, publicKey, mark, clock: systemClock, random: Math.random }
  await mirrorItems({ ...parts, tell: logOnce(log) }, stopping)
}

/** Logs a problem when it starts or changes, not with every attempt. */
export function logOnce(log: Log): MirrorParts['tell'] {
  let trouble = ''
  return event => {
    if (event.is === 'sent') {
      if (trouble !== '') log.info({}, 'DynamoDB accepts items again')
      trouble = ''
      return
    }
    if (event.failure.message === trouble) return
    trouble = event.failure.message
    log.warn({ err: event.failure }, 'DynamoDB is unavailable; changes of items wait in the store')
  }
}
