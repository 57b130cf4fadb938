// Reachability of hosts. If one host does not respond, the host is down. If no host responds, our own network is down.
import { type FailureCode, isUnanswered } from '../model/failures.ts'
import { saysThatItAnswered } from './host-breaker.ts'

/** Whether and since when a host does not respond, as observed by this process. */
export interface HostReach {
  answeredAt: number
  /** Since when every request failed without a response; null while the host responds. */
  silentSince: number | null
  robotsFailingSince: number | null
  /** Whether the last request for robots.txt got no response at all. */
  isRobotsMute: boolean
  lastError: string | null
}

/** If at least this many hosts do not respond for this time, our own network is the likely cause. */
const fewestSilent = 3
const silenceMs = 3_000
/** If this many hosts do not respond, the decision does not wait for hosts that were not tried yet. */
const manySilent = 50
/** Responses older than this say nothing about the network now. */
const staleMs = 600_000

export class Reachability {
  readonly #silent = new Set<HostReach>()
  #lastAnswerAt = Number.NEGATIVE_INFINITY

  note(host: HostReach, failure: FailureCode | undefined, startedAt: number, now: number): void {
    if (failure === undefined || saysThatItAnswered(failure)) {
      host.answeredAt = now
      host.silentSince = null
      this.#silent.delete(host)
      this.#lastAnswerAt = now
    } else if (isUnanswered(failure)) {
      host.silentSince ??= startedAt
      this.#silent.add(host)
    }
  }

  forget(host: HostReach): void {
    this.#silent.delete(host)
  }

  /** Whether no host responds. `hasUntried` returns whether there is a host that was not tried yet. */
  isNetworkDown(now: number, hasUntried: () => boolean): boolean {
    const tried = [...this.#silent].filter(({ silentSince }) => silentSince! > this.#lastAnswerAt)
    if (tried.length < fewestSilent) return false
    // Hosts that never responded may simply be dead. So the network counts as down only if a silent host responded
    // recently, or if no host has responded for a long time.
    const isLost =
      now - this.#lastAnswerAt >= staleMs || tried.some(({ answeredAt }) => answeredAt > now - staleMs)
    if (!isLost) return false
    const since = Math.min(...tried.map(({ silentSince }) => silentSince!))
    return now - since >= silenceMs && (tried.length >= manySilent || !hasUntried())
  }
}

/** Limits of a job for hosts that do not respond. */
interface ReachLimits {
  patienceMs: number
  outageMs: number
}

/** Why a job excludes a host. `isMute`: the host accepted connections but sent no response. */
export type GivenUp = { reason: 'host.unreachable' | 'robots.unreachable'; afterMs: number; isMute?: true }

/** Why the job excludes the host; null if the job keeps waiting. A host that never responded in this job, not even to the request for
 *  robots.txt, is excluded after `patienceMs`. The limit is `outageMs` for a host that has responded, for a host that only
 *  fails to serve its robots.txt, and for every host while our network is down. The time before the start of the job does not
 *  count. */
export function givenUp(
  reach: HostReach,
  limits: ReachLimits,
  { jobStartedAt, networkDown }: { jobStartedAt: number; networkDown: boolean },
  now: number,
): GivenUp | null {
  const age = (since: number | null) => (since === null ? -1 : now - Math.max(since, jobStartedAt))
  const hasAnswered = reach.answeredAt >= jobStartedAt
  const limitMs = hasAnswered || networkDown ? limits.outageMs : limits.patienceMs
  const silentMs = age(reach.silentSince)
  if (silentMs >= limitMs) return { reason: 'host.unreachable', afterMs: silentMs }
  const robotsMs = age(reach.robotsFailingSince)
  if (reach.isRobotsMute && !hasAnswered && robotsMs >= limitMs)
    return { reason: 'host.unreachable', afterMs: robotsMs, isMute: true }
  return robotsMs >= limits.outageMs ? { reason: 'robots.unreachable', afterMs: robotsMs } : null
}
