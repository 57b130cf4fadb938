// Waits until a service is ready, because on a busy machine it may answer 503 for a moment after its start.
import { setTimeout as wait } from 'node:timers/promises'
import { patienceMs } from './eventually.ts'
import type { TestService } from './service.ts'

/** Resolves when the service answers; rejects with its last response if that takes too long. */
export async function awake(service: TestService): Promise<void> {
  for (const until = Date.now() + patienceMs; ; ) {
    const { status, text } = await service.ask('/jobs')
    if (status === 200) return
    if (status !== 503 || Date.now() > until) throw new Error(`the service is not awake: ${status} ${text}`)
    await wait(100)
  }
}
