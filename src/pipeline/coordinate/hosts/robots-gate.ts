// Decides by robots.txt whether a URL may be requested. Lanes fetch the files, and the store caches them.
import {
  parseRobots,
  productTokenOf,
  type RobotsRules,
  robotsVerdict,
} from '../../../dispatch/robots/index.ts'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { Failure, type FailureJson, failures, isUnanswered } from '../../../model/failures.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import type { RobotsReport } from '../../../model/lane.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { HostStore } from '../../../ports/store.ts'
import { type RobotsReader, robotsKey } from './robots-reader.ts'

/** The decision for a URL. `unknown`: robots.txt must be fetched first. */
export type RobotsDecision =
  | { is: 'allowed' }
  | { is: 'disallowed'; rule: string }
  | { is: 'unreachable'; until: number; why: FailureJson | null }
  | { is: 'unknown' }

interface Known {
  entry: RobotsEntry
  rules: RobotsRules | null
  /** The failure of the fetch. It is not stored, so it is null after a restart. */
  why: FailureJson | null
}

type Answer = Omit<Known, 'rules'>

/** Limit of parsed files in memory. Other files are read from the store again. */
const heldOrigins = 10_000

export class RobotsGate {
  #store: HostStore
  #clock: Clock
  #known = new RecentMap<string, Known>(heldOrigins)
  /** Requests in flight by origin and circle. Readers of a circle share one stored file, so they share one request too. */
  #asking = new Map<string, Promise<Answer>>()

  constructor(parts: { store: HostStore; clock: Clock }) {
    this.#store = parts.store
    this.#clock = parts.clock
  }

  decide(url: string, reader: RobotsReader): RobotsDecision {
    const known = this.#known.get(knownKey(originOf(url), reader))
    if (!known || known.entry.expiresAt <= this.#clock.now()) return { is: 'unknown' }
    return decisionOf(known, url)
  }

  rulesOf(url: string, reader: RobotsReader): RobotsRules | null {
    return this.#known.get(knownKey(originOf(url), reader))?.rules ?? null
  }

  /** Loads robots.txt from the store, else from the site. Sends one request per origin and circle at a time. */
  async learn(
    url: string,
    reader: RobotsReader,
    fetch: (origin: string) => Promise<RobotsReport>,
  ): Promise<RobotsEntry> {
    const origin = originOf(url)
    const key = robotsKey(origin, reader)
    const asking =
      this.#asking.get(key) ?? this.#ask(origin, reader, fetch).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    const answer = await asking
    this.#hold(answer, reader)
    return answer.entry
  }

  async #ask(
    origin: string,
    reader: RobotsReader,
    fetch: (origin: string) => Promise<RobotsReport>,
  ): Promise<Answer> {
    const stored = await this.#stored(origin, reader)
    if (stored && isUsable(stored, this.#clock.now())) return { entry: stored, why: null }
    const report = await fetch(origin)
    // The failure says nothing about the site's robots.txt, so nothing is stored. The task fails with the same failure,
    // and its retry fetches the file again.
    if (report.failure && saysNothing(report.failure)) throw Failure.from(report.failure)
    if (report.kept) return { entry: { ...report.kept, origin }, why: report.failure }
    const answer = { entry: robotsVerdict(report, stored, this.#clock.now()), why: report.failure }
    // Remember the file before it is stored. If the store fails, the retry of the task then sends no second request.
    this.#hold(answer, reader)
    await this.#store.keepRobots({ ...answer.entry, origin: robotsKey(origin, reader) })
    return answer
  }

  async #stored(origin: string, reader: RobotsReader): Promise<RobotsEntry | null> {
    const stored = await this.#store.robots(robotsKey(origin, reader))
    return stored && { ...stored, origin }
  }

  #hold({ entry, why }: Answer, reader: RobotsReader): void {
    const key = knownKey(entry.origin, reader)
    // Many tasks may wait for the same file; it is parsed once.
    if (this.#known.get(key)?.entry === entry) return
    const token = productTokenOf(reader.userAgent)
    const rules = entry.verdict === 'parsed' ? parseRobots(entry.body, token) : null
    this.#known.set(key, { entry, rules, why })
  }
}

export const originOf = (url: string): string => url.slice(0, pathStart(url))

function pathStart(url: string): number {
  const slash = url.indexOf('/', url.indexOf('://') + 3)
  return slash === -1 ? url.length : slash
}

const knownKey = (origin: string, { circle, userAgent }: RobotsReader): string =>
  `${origin} ${circle} ${userAgent}`

function decisionOf({ entry, rules, why }: Known, url: string): RobotsDecision {
  if (entry.verdict === 'unreachable') return { is: 'unreachable', until: entry.expiresAt, why }
  if (!rules) return { is: 'allowed' }
  const { allowed, rule } = rules.isAllowed(url)
  return allowed ? { is: 'allowed' } : { is: 'disallowed', rule: rule ?? '' }
}

export function robotsFailure(url: string, decision: RobotsDecision, now: number): Failure | null {
  if (decision.is === 'disallowed')
    return new Failure('robots.disallowed', `robots.txt says "${decision.rule}"`, {
      url,
      rule: decision.rule,
    })
  return decision.is === 'unreachable' ? unreachable(url, decision, now) : null
}

/** Whether the stored file can be used without a new request. */
export const isUsable = (entry: RobotsEntry, now: number): boolean =>
  entry.expiresAt > now && !wasUnanswered(entry)

/** Whether the entry says that the host did not respond at all. Such an entry is not reused, so a process that starts later
 *  tries again. */
const wasUnanswered = ({ verdict, status }: RobotsEntry): boolean =>
  verdict === 'unreachable' && status === null

/** Whether the failure applies to every page of the host, such as a refused address or an invalid certificate. */
const isFinal = ({ code }: FailureJson): boolean =>
  code === 'address.refused' || (failures[code].retry === 'never' && failures[code].breaker)

/** The time until which the host gets no requests because robots.txt is unreachable. Null if waiting would not help. */
export const waitFor = (decision: RobotsDecision): number | null =>
  decision.is === 'unreachable' && !(decision.why && isFinal(decision.why)) ? decision.until : null

/** The failure of a task whose robots.txt is unreachable. A final failure is reported as it is, and not retried. */
function unreachable(
  url: string,
  { until, why }: { until: number; why: FailureJson | null },
  now: number,
): Failure {
  if (why && isFinal(why)) return Failure.from(why)
  const because = why ? ` (${why.message})` : ''
  return new Failure(
    'robots.unreachable',
    `robots.txt of ${originOf(url)} could not be fetched${because}, so no page of this site is requested for now`,
    { retryAfterMs: until - now },
  )
}

/** Whether a failure says nothing about the site's robots.txt: our process, store, queue or proxy failed, or the host did not
 *  respond this time. */
const saysNothing = ({ code }: FailureJson): boolean =>
  ofOurSide.has(code) || code.startsWith('proxy.') || (isUnanswered(code) && failures[code].retry === 'later')

const ofOurSide: ReadonlySet<string> = new Set(['worker.stopping', 'store.busy', 'queue.unavailable'])
