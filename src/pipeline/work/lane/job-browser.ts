// How one job uses the browser: the identity, cookies and headers of its page loads, and actions in the page.

import type { PerformActions } from '../../../fetch/actions/action-types.ts'
import type { BrowserFetch, RenderRequest } from '../../../fetch/browser/browser-fetch.ts'
import type { ServePlaywright } from '../../../fetch/browser/lent/playwright-client.ts'
import { type CookieJson, stateCookie } from '../../../fetch/http/index.ts'
import { requiredSelectors } from '../../../model/extraction-rules.ts'
import type { JobSpec } from '../../../model/job.ts'
import type { LaneJob, TimedTask } from '../../../model/lane.ts'
import type { TaskOverrides } from '../../../model/policy/policy.ts'
import { browserKindOf } from '../../../model/policy/render-mode.ts'
import type { BrowserPolicy, StorageState } from '../../../model/policy/rendering.ts'
import type { Secrets } from '../../../ports/secrets.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'
import { usesSecrets } from '../../submit/conduct-notes.ts'
import { mayBeSecret } from '../../submit/sealed-headers.ts'
import type { LaneIdentities } from './identities.ts'

/** Named cookies and storage that persist between runs. */
export interface SavedSessions {
  load(name: string): Promise<StorageState | null>
  save(name: string, state: StorageState): Promise<void>
  /** Loads, changes and saves the state as one step, so that a concurrent change of another lane is not lost. */
  change(name: string, change: (state: StorageState) => StorageState): Promise<void>
}

/** Additional dependencies of a lane with a browser. */
export interface LaneBrowser {
  fetch: BrowserFetch
  /** Limit of pages that clients of `/cdp` and `/playwright` may have open at the same time. */
  clientSeats: number
  sessions: SavedSessions
  secrets: Secrets
  performActions: PerformActions
  /** Serves clients that use Playwright's own protocol. */
  servePlaywright: ServePlaywright
  /** The pause between two actions in a page of this host, in ms. */
  actionDelayOf: (host: string) => { min: number; max: number }
}

/** The options that all page loads of a job share. */
type JobVisit = Pick<
  RenderRequest,
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

  /** `hasCredentials`: whether the pages of the job get secrets of the caller, such as cookies or headers. */
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

  /** The session of a task. Tasks without a common session get different fingerprints, so that sites cannot link them. */
  #sessionOf({ n, identity, overrides }: TimedTask): string {
    const { id, spec } = this.#job
    const { isolation } = overrides?.browser ?? spec.policy.browser
    const isOne = spec.session === undefined && (!identity || identity.id === id)
    return isOne && isolation === 'task' ? `${id}-${n}` : (identity?.id ?? spec.session ?? id)
  }

  /** The state of a new browser context: the stored session, and the cookies and storage of the job. */
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

  /** Saves the session. Called after every page, so that a crash loses only the cookies of one page. */
  async keep(state: StorageState): Promise<void> {
    this.#state = state
    await this.parts.sessions.save(this.#job.spec.session!, state)
  }

  /** Closes the browser contexts and identities of the job. */
  close(): Promise<void> {
    return this.parts.fetch.forgetJob(this.#job.id)
  }
}

/** Whether the pages of the job may be personal: the job sends cookies, credentials or secret headers. */
export const hasCredentials = ({ spec, cookies }: LaneJob, { credentials }: Scraper): boolean =>
  spec.session !== undefined ||
  cookies !== null ||
  credentials !== undefined ||
  usesSecrets(spec) ||
  Object.keys(spec.headers).some(mayBeSecret)

/** Whether this attempt gets a new session: an earlier attempt failed, and the policy retries blocked tasks. Never if the job
 *  names a session. */
export const isAnother = (
  { id, spec }: LaneJob,
  { charged, overrides, identity }: Pick<TimedTask, 'charged' | 'overrides' | 'identity'>,
): boolean =>
  // A task with an identity of its own gets another identity for the retry anyway, so it needs no new session.
  (!identity || identity.id === id) &&
  charged > 0 &&
  spec.session === undefined &&
  ((overrides ?? spec.policy).blocks?.retries ?? 0) > 0

const archiveOf = ({ results }: JobSpec): RenderRequest['archive'] =>
  results.archive === 'page' ? { maxBytes: results.archiveMaxBytes } : undefined

/** The browser policy of a task. The job's `timeout_ms` limits one navigation with its waits; `task_ms` limits the whole task. */
function browserPolicyOf(
  { policy, timeoutMs }: JobSpec,
  overrides: TaskOverrides | undefined,
): BrowserPolicy {
  const browser = overrides?.browser ?? policy.browser
  return timeoutMs === undefined
    ? browser
    : { ...browser, navigationMs: Math.min(browser.navigationMs, timeoutMs) }
}
