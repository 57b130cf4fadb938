// A visit: what the browser lane asks of `openBrowserFetch`, and what it holds while the page is open.
import type { BrowserCounts } from '../../model/events.ts'
import type { Page } from '../../model/page/page.ts'
import type {
  Artifact,
  BrowserKind,
  BrowserPolicy,
  Identity,
  LivePage,
  Rendering,
  StorageState,
} from '../../model/policy/rendering.ts'
import type { ProxyAddress } from '../proxies/endpoint.ts'
import type { Act, BeforeDocument } from './driver.ts'
import type { ProxyTarget } from './egress/egress-proxy.ts'
import type { LendRequest, LentSeat } from './lent/lent-browsers.ts'

export type EgressTarget = ProxyTarget

/** Resolves when the target may be asked, after waiting its host's turn; rejects with the Failure that forbids it. */
export type BeforeTarget = (target: EgressTarget, signal: AbortSignal) => Promise<void>

export interface VisitRequest {
  jobId: string
  url: string
  /** The job's own headers. The user agent and its like belong to the identity. */
  headers: Record<string, string>
  browser: BrowserKind
  /** What a plain browser says of us, beside what it is. */
  userAgent: string
  /** Whose visit it is: visits of one session share an identity, and with `isolation: session` its cookies. Another name is someone else. */
  session: string
  /** Through which everything goes that the page asks for; straight from here without. */
  proxy?: ProxyAddress | undefined
  /** Country that an identity is at home in, where its proxy stands; else where this machine is. */
  region?: string | null
  /** Whether frames of other sites get processes of their own; for jobs with a session or credentials. */
  keepsSitesApart?: boolean
  /** Says no more of itself than any browser does, whichever kind it is. */
  asBrowser?: boolean
  rendering: Rendering
  policy: BrowserPolicy
  /** Selectors that have to match something before the page is read. */
  required?: readonly string[]
  /** Cap on the markup, and on each download. */
  maxBytes: number
  /** Cookies and storage to begin with. */
  state: StorageState | null
  /** What whoever visits has come by meanwhile, by this way or another: also for a context that is open already. */
  cookies?: StorageState['cookies']
  /** Why the browser is used, in words for the record. */
  why: string
  /** Asked for each plain request and each tunnel of the page, the first one to its own host included. */
  before: BeforeTarget
  /** Asked before the page's own document goes on to another URL: a redirect, a script, a refresh, a form. */
  beforeDocument?: BeforeDocument
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

/** A whole browser, for a client that drives it. */
export interface LendBrowserRequest
  extends Pick<
      VisitRequest,
      'jobId' | 'session' | 'userAgent' | 'proxy' | 'region' | 'asBrowser' | 'before' | 'state'
    >,
    Pick<LendRequest, 'rules' | 'client'> {
  /** What all its pages together may receive. */
  maxBytes: number
}

export interface BrowserFetch extends AsyncDisposable {
  /** Rejects with a Failure: `browser.missing`, `pool.exhausted`, `task.deadline`, `navigation.failed`, … */
  open(request: VisitRequest, signal: AbortSignal): Promise<RenderedVisit>
  /** Rejects like `open`. The seat is taken until `release`. */
  lend(request: LendBrowserRequest, signal: AbortSignal): Promise<LentSeat>
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
  /** Those that run, one by one. */
  browsers: BrowserCounts[]
}

/** Who a session is, for the browser that really runs. Called once per session, kind and device. */
export type IdentityFor = (request: IdentityRequest) => Promise<Identity>

export interface IdentityRequest {
  session: string
  browser: BrowserKind
  mobile: Rendering['mobile']
  region: string | null
  userAgent: string
  /** `156.0.7000.1` */
  version: string
}
