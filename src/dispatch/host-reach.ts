// Reachability of hosts: one silent host is down; if no host responds, our own network is down.
import { type FailureCode, isUnanswered } from '../model/failures.ts'
import { saysThatItAnswered } from './host-breaker.ts'

/** How long a host has not responded, or its robots.txt could not be fetched. Only for this process. */
export interface HostReach {
  answeredAt: number
  /** Since when every request failed without a response; null while it responds. */
  silentSince: number | null
  robotsFailingSince: number | null
  /** The last request for robots.txt got no response at all. */
  isRobotsMute: boolean
  lastError: string | null
}

/** This many hosts must be silent for this long before our own network is the likely cause. */
const fewestSilent = 3
const silenceMs = 3_000
/** With this many silent hosts, untried hosts do not delay the decision. */
const manySilent = 50
/** An older response says nothing about the network now. */
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

  /** Whether no host responds. `hasUntried` returns whether an untried host exists. */
  isNetworkDown(now: number, hasUntried: () => boolean): boolean {
    const tried = [...this.#silent].filter(({ silentSince }) => silentSince! > this.#lastAnswerAt)
    if (tried.length < fewestSilent) return false
    // Hosts that never responded prove nothing while hosts that did have no work.
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

/** `isMute`: connections opened but nothing was sent over them. */
export type GivenUp = { reason: 'host.unreachable' | 'robots.unreachable'; afterMs: number; isMute?: true }

/** Whether a job excludes a host. A host that never responded in this job gets `patienceMs`. A host that has responded, or
 *  any host while our network is down, gets `outageMs`. The clock starts with the job at the earliest. If no request was
 *  ever answered, the cause is the host, not its robots.txt. */
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
