// Permits asked of the coordinator that leads, which may be far away or busy: what comes too late to be used is asked for again.
import { hostOf } from '../../frontier/canonical-url.ts'
import { shardOf } from '../../lib/shard-of.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Clock } from '../../ports/clock.ts'
import { type AskPermit, neverLapses, type Permit, type PermitRequest } from '../../ports/permits.ts'
import { coordinatorOf } from './messages.ts'

/** A permit may wait for its host for half a minute. */
const longestPermitMs = 60_000

export const distantPermits = (calls: Calls, clock: Clock, shards: number): AskPermit => {
  const ask = (request: PermitRequest, signal: AbortSignal): Promise<Permit> =>
    calls.ask(
      coordinatorOf(shardOf(hostOf(request.url), shards)),
      { say: 'permit', request },
      { withinMs: longestPermitMs, late: `no permit for ${request.url} came in time`, signal },
    )
  return async (request, signal) => {
    for (let lapsed = request.lapsed ?? 0; ; lapsed += 1) {
      const askedAt = clock.now()
      const permit = await ask({ ...request, lapsed }, signal)
      const goodUntil = lastsUntil(askedAt, permit)
      if (clock.now() <= goodUntil) return goodUntil
    }
  }
}

/** By our own clock, whatever that of the other process says: it was given no sooner than the question was kept. */
const lastsUntil = (askedAt: number, { heldMs, goodForMs }: Permit): number =>
  goodForMs === null ? neverLapses : askedAt + heldMs + goodForMs
