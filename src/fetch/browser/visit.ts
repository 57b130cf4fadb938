// A visit: what the browser lane asks of `openBrowserFetch`, and what it holds while the page is open.
import type { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page.ts'
import type {
  Artifact,
  BrowserKind,
  BrowserPolicy,
  Identity,
  LivePage,
  Rendering,
  StorageState,
} from '../../model/rendering.ts'
import type { Act } from './driver.ts'

/** What a browser wants to connect to. For https the path is not seen, so `url` is then the origin with a slash. */
export interface EgressTarget {
  url: string
  host: string
  port: number
}

/** Resolves when the target may be asked, after waiting its host's turn; rejects with the Failure that forbids it. */
export type BeforeTarget = (target: EgressTarget) => Promise<void>

/** A forward proxy of the egress gate for one context: it judges every target and asks `before` for each new one. */
export type OpenProxy = (options: { before: BeforeTarget }) => Promise<ContextProxy>

export interface ContextProxy extends AsyncDisposable {
  readonly port: number
  /** Why nothing came from this URL's host and port, if so: the reason behind ERR_TUNNEL_CONNECTION_FAILED or `failureHeader`. */
  failureOf(url: string): Failure | null
  /** Forgets failures and bytes of the task before, and closes tunnels to hosts other than this one, so that `before` is asked anew. */
  beginTask(host: string | null): void
}

export interface VisitRequest {
  jobId: string
  url: string
  /** The job's own headers. The user agent and its like belong to the identity. */
  headers: Record<string, string>
  browser: BrowserKind
  /** Whose visit it is: visits of one session share an identity, and with `isolation: session` its cookies. Another name is someone else. */
  session: string
  rendering: Rendering
  policy: BrowserPolicy
  /** Cap on the markup, and on each download. */
  maxBytes: number
  /** Cookies and storage to begin with. */
  state: StorageState | null
  /** Why the browser is used, in words for the record. */
  why: string
  before: BeforeTarget
  /** Done in the page after it has loaded (actions, recordings): then Playwright drives. */
  act?: Act
  /** Given what `policy.keepOnFailure` asks for, before `open` rejects. */
  onFailure?: (artifacts: Artifact[]) => void
}

/** A page that was rendered and is still open. Its seat is taken until `release`, at most to the task's deadline. */
export interface RenderedVisit {
  /** Body is the markup (or the file, where the address led to a download); with `rendered`. */
  page: Page
  live: LivePage
  /** What `policy.keepOnFailure` asks for, of the page as it is now: for failures found after `open`. */
  evidence(): Promise<Artifact[]>
  /** Cookies and storage as they are now. */
  state(): Promise<StorageState>
  /** Gives the seat back; safe to call twice. What was read stays usable, `live` does not. */
  release(): Promise<void>
}

export interface BrowserFetch extends AsyncDisposable {
  /** Rejects with a Failure: `browser.missing`, `pool.exhausted`, `task.deadline`, `navigation.failed`, … */
  open(request: VisitRequest, signal: AbortSignal): Promise<RenderedVisit>
  /** Closes what is kept for this job: contexts, identities. */
  forgetJob(jobId: string): Promise<void>
  stats(): PoolStats
  /** Whether a real load of a loopback page worked in the last 60 s; tries one if none was. */
  isReady(): Promise<boolean>
}

/** Named as seed 002 names them. `total` and the like count seats: pages that can be open at a time. */
export interface PoolStats {
  total: number
  available: number
  in_use: number
  pages_processed: number
  recycled_count: number
}

/** Who a session is, for the browser that really runs. Called once per session, kind and device. */
export type IdentityFor = (wish: IdentityWish) => Identity

export interface IdentityWish {
  session: string
  browser: BrowserKind
  mobile: Rendering['mobile']
  /** `156.0.7000.1` */
  version: string
}
