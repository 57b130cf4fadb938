// Whether hosts can be reached: one that is down is the host's trouble, and if none answers, it is our own network.
import { type FailureCode, isUnanswered } from '../model/failures.ts'
import { saysThatItAnswered } from './host-breaker.ts'

/** How long a host has not answered, or not let its robots.txt be read. Times of this process only. */
export interface HostReach {
  answeredAt: number
  /** Since when every request failed without an answer; null while it answers. */
  silentSince: number | null
  robotsFailingSince: number | null
  /** The last request for robots.txt got no response at all. */
  isRobotsMute: boolean
  lastError: string | null
}

/** So many hosts must be silent, for so long, before our own network is the likelier cause. */
const fewestSilent = 3
const silenceMs = 3_000
/** With so many silent hosts, hosts that were not tried yet are no reason to wait. */
const manySilent = 50
/** An answer from before says nothing about the network now. */
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

  /** Whether no host answers at all. `hasUntried` says whether there is a host that may yet answer. */
  isNetworkDown(now: number, hasUntried: () => boolean): boolean {
    const tried = [...this.#silent].filter(({ silentSince }) => silentSince! > this.#lastAnswerAt)
    if (tried.length < fewestSilent) return false
    // Hosts that never answered prove nothing while those that did have no more work.
    const isLost =
      now - this.#lastAnswerAt >= staleMs || tried.some(({ answeredAt }) => answeredAt > now - staleMs)
    if (!isLost) return false
    const since = Math.min(...tried.map(({ silentSince }) => silentSince!))
    return now - since >= silenceMs && (tried.length >= manySilent || !hasUntried())
  }
}

/** Limits of a job for hosts that do not answer. */
export interface ReachLimits {
  patienceMs: number
  outageMs: number
}

/** `isMute`: connections opened, and nothing was ever sent over them. */
export type GivenUp = { reason: 'host.unreachable' | 'robots.unreachable'; afterMs: number; isMute?: true }

/**
 * Whether a job gives a host up. A host that never answered in this job gets `patienceMs`; one that has answered, or
 * any host while our own network is down, gets `outageMs`. The clock starts with the job at the earliest.
 * If no request was ever answered, the host is the trouble, not its robots.txt.
 */
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
