// sqs-intake: receives the messages of an SQS queue. Any number of processes can share a queue.
import { Emitter } from '../../lib/emitter.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { neededQueue, runSqsIntake } from '../service/sqs-intake.ts'
import { openClusterEngine } from './cluster-engine.ts'
import { handBackMs, type RoleParts, type Running } from './role.ts'
import { processName } from './services.ts'

export async function sqsIntake(parts: RoleParts): Promise<Running> {
  const { settings, registry, mark } = parts
  neededQueue(settings)
  const stop = new AbortController()
  const engine = await openClusterEngine({ ...parts, events: new Emitter() }, stop.signal)
  const log = parts.log.child({ component: 'jobs' })
  const taking = runSqsIntake(
    { settings, registry, mark, log, engine, store: engine.data.store },
    stop.signal,
  )
  return {
    name: processName('sqs-intake'),
    held: () => 0,
    async stop(graceMs) {
      stop.abort()
      await settledWithin(taking, graceMs + handBackMs)
      await engine[Symbol.asyncDispose]()
    },
  }
}
