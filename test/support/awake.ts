// A service that is awake: one that has just come up on a busy machine may ask for a moment.
import { setTimeout as wait } from 'node:timers/promises'
import type { TestService } from './service.ts'

const withinMs = 120_000

/** Resolves when it answers; rejects with what it says instead, when that takes too long. */
export async function awake(service: TestService): Promise<void> {
  for (const until = Date.now() + withinMs; ; ) {
    const { status, text } = await service.ask('/jobs')
    if (status === 200) return
    if (status !== 503 || Date.now() > until) throw new Error(`the service is not awake: ${status} ${text}`)
    await wait(100)
  }
}
