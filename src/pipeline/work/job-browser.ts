// The browser as one job uses it: identity, cookies and headers of its visits, and actions in the page.

import type { PerformActions } from '../../fetch/actions/performed.ts'
import type { ServePlaywright } from '../../fetch/browser/lent/playwright-client.ts'
import type { BrowserFetch, VisitRequest } from '../../fetch/browser/visit.ts'
import { type CookieJson, stateCookie } from '../../fetch/http/index.ts'
import { requiredSelectors } from '../../model/extraction-rules.ts'
import type { JobSpec } from '../../model/job.ts'
import type { LaneJob, TimedTask } from '../../model/lane.ts'
import type { TaskOverrides } from '../../model/policy/policy.ts'
import { browserKindOf } from '../../model/policy/render-mode.ts'
import type { BrowserPolicy, StorageState } from '../../model/policy/rendering.ts'
import type { Secrets } from '../../ports/secrets.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { usesSecrets } from '../submit/conduct-notes.ts'
import { mayBeSecret } from '../submit/sealed-headers.ts'
import type { LaneIdentities } from './lane-identities.ts'

/** Named cookies and storage that persist between runs. */
export interface SavedSessions {
  load(name: string): Promise<StorageState | null>
  save(name: string, state: StorageState): Promise<void>
  /** Reads, changes and writes without losing a concurrent change of another lane. */
  change(name: string, change: (state: StorageState) => StorageState): Promise<void>
}

/** Dependencies of a lane with a browser, beside those of all lanes. */
export interface LaneBrowser {
  fetch: BrowserFetch
  /** Pages that clients of `/cdp` and `/playwright` may have at a time. */
  clientSeats: number
  sessions: SavedSessions
  secrets: Secrets
  performActions: PerformActions
  /** For clients that use Playwright's own protocol. */
  servePlaywright: ServePlaywright
  /** Pause between the actions of a run on this host. */
  actionDelayOf: (host: string) => { min: number; max: number }
}

/** What all visits of a job share. */
type JobVisit = Pick<
  VisitRequest,
  | 'jobId'
  | 'browser'
  | 'userAgent'
  | 'session'
  | 'proxy'
  | 'region'
  | 'asBrowser'
  | 'keepsSitesApart'
  | 'rendering'
  | 'required'
  | 'policy'
  | 'maxBytes'
  | 'archive'
>

export class JobBrowser {
  readonly parts: LaneBrowser
  readonly #job: LaneJob
  readonly #hasCredentials: boolean
  readonly #cookies: StorageState['cookies']
  #state: StorageState | null = null
  #loaded = false

  /** `hasCredentials`: whether a page could try to steal secrets of the caller. */
  constructor(parts: LaneBrowser, job: LaneJob, cookies: readonly CookieJson[], hasCredentials: boolean) {
    this.parts = parts
    this.#hasCredentials = hasCredentials
    this.#job = job
    this.#cookies = cookies.map(stateCookie)
  }

  visitFor(task: TimedTask, identities: LaneIdentities): JobVisit {
    const { id, spec } = this.#job
    const { identity } = task
    return {
      jobId: id,
      browser: browserKindOf(spec, task.overrides),
      userAgent: this.#job.userAgent,
      session: isAnother(this.#job, task) ? `${id}-${task.charged}` : this.#sessionOf(task),
      ...(identity && { proxy: identities.addressOf(identity), region: identity.region }),
      asBrowser: (task.overrides?.identity ?? spec.policy.identity)?.headers === 'browser',
      keepsSitesApart: this.#hasCredentials,
      rendering: task.overrides?.rendering ?? spec.rendering,
      ...(spec.extract && { required: requiredSelectors(spec.extract) }),
      policy: browserPolicyOf(spec, task.overrides),
      maxBytes: (task.overrides ?? spec.policy).maxBytes,
      archive: archiveOf(spec),
    }
  }

  /** Tasks that share no session have different fingerprints: a shared one would connect them. */
  #sessionOf({ n, identity, overrides }: TimedTask): string {
    const { id, spec } = this.#job
    const { isolation } = overrides?.browser ?? spec.policy.browser
    const isOne = spec.session === undefined && (!identity || identity.id === id)
    return isOne && isolation === 'task' ? `${id}-${n}` : (identity?.id ?? spec.session ?? id)
  }

  /** The state of a new context: the session as stored, and the cookies and storage of the job. */
  async state(): Promise<StorageState | null> {
    const { session } = this.#job.spec
    if (!this.#loaded && session !== undefined) this.#state = await this.parts.sessions.load(session)
    this.#loaded = true
    const given = this.#job.storage ?? []
    if (this.#cookies.length + given.length === 0) return this.#state
    const { cookies, origins } = this.#state ?? { cookies: [], origins: [] }
    const isStored = (origin: string) => origins.some(stored => stored.origin === origin)
    return {
      cookies: [...this.#cookies, ...cookies],
      origins: [...origins, ...given.filter(({ origin }) => !isStored(origin))],
    }
  }

  get keepsSession(): boolean {
    return this.#job.spec.session !== undefined
  }

  /** Written after every visit: a kill loses one page's cookies, not the session. */
  async keep(state: StorageState): Promise<void> {
    this.#state = state
    await this.parts.sessions.save(this.#job.spec.session!, state)
  }

  /** Contexts and identities of the job are closed with it. */
  close(): Promise<void> {
    return this.parts.fetch.forgetJob(this.#job.id)
  }
}

/** Whether pages of the job get something that is not for everybody. */
export const hasCredentials = ({ spec, cookies }: LaneJob, { credentials }: Scraper): boolean =>
  spec.session !== undefined ||
  cookies !== null ||
  credentials !== undefined ||
  usesSecrets(spec) ||
  Object.keys(spec.headers).some(mayBeSecret)

/** A blocked task retries with a new session if the policy allows it, but not if the job named a session. */
export const isAnother = (
  { id, spec }: LaneJob,
  { charged, overrides, identity }: Pick<TimedTask, 'charged' | 'overrides' | 'identity'>,
): boolean =>
  // If the job has several identities, the retry uses another one anyway.
  (!identity || identity.id === id) &&
  charged > 0 &&
  spec.session === undefined &&
  ((overrides ?? spec.policy).blocks?.retries ?? 0) > 0

const archiveOf = ({ results }: JobSpec): VisitRequest['archive'] =>
  results.archive === 'page' ? { maxBytes: results.archiveMaxBytes } : undefined

/** `timeout_ms` limits a navigation with its waits, like a plain request. The whole task has its own limit. */
function browserPolicyOf(
  { policy, timeoutMs }: JobSpec,
  overrides: TaskOverrides | undefined,
): BrowserPolicy {
  const browser = overrides?.browser ?? policy.browser
  return timeoutMs === undefined
    ? browser
    : { ...browser, navigationMs: Math.min(browser.navigationMs, timeoutMs) }
}
