// Requests permits from the leading coordinator. If the answer arrives after the permit has expired, requests a new one.
import { hostOf } from '../../frontier/canonical-url.ts'
import { shardOf } from '../../lib/shard-of.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Clock } from '../../ports/clock.ts'
import { type AskPermit, neverLapses, type Permit, type PermitRequest } from '../../ports/permits.ts'
import { coordinatorOf } from './messages.ts'

/** Timeout of a permit request. A permit may wait up to half a minute for its host. */
const longestPermitMs = 60_000

export const distantPermits = (calls: Calls, clock: Clock, shards: number): AskPermit => {
  const ask = (request: PermitRequest, signal: AbortSignal): Promise<Permit> =>
    calls.ask(
      coordinatorOf(shardOf(hostOf(request.url), shards)),
      { say: 'permit', request },
      {
        withinMs: longestPermitMs,
        late: `the coordinator gave no permit for ${request.url} in time`,
        signal,
      },
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

/** When the permit expires, by the local clock. The request was sent at `askedAt`, and the coordinator held it for
 *  `heldMs`. So the coordinator created the permit at `askedAt + heldMs` or later. */
const lastsUntil = (askedAt: number, { heldMs, goodForMs }: Permit): number =>
  goodForMs === null ? neverLapses : askedAt + heldMs + goodForMs
