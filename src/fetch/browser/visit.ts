// The interface of the browser lane: visit requests, and the open visit.
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
import type { RecordingLimits } from './cdp/traffic-recorder.ts'
import type { Act, BeforeDocument } from './driver.ts'
import type { ProxyTarget } from './egress/egress-proxy.ts'
import type { LendRequest, LentSeat } from './lent/lent-browsers.ts'
import type { SeatBoard } from './seats/seat-board.ts'
import type { Steering } from './seats/steering.ts'

export type EgressTarget = ProxyTarget

/** Resolves when the target may be requested, after waiting for a slot; rejects with the failure that forbids it. */
export type BeforeTarget = (target: EgressTarget, signal: AbortSignal) => Promise<void>

export interface VisitRequest {
  jobId: string
  url: string
  /** Headers of the job. The user agent and similar ones belong to the identity. */
  headers: Record<string, string>
  browser: BrowserKind
  /** Our name in the user agent of a plain browser. */
  userAgent: string
  /** Visits of one session share an identity and, with `isolation: session`, cookies. Another name is another identity. */
  session: string
  /** Proxy for all requests of the page; without it, direct connections. */
  proxy?: ProxyAddress | undefined
  /** Home country of the identity: that of its proxy, else of this machine. */
  region?: string | null
  /** Whether frames of other sites run in their own processes; for jobs with a session or credentials. */
  keepsSitesApart?: boolean
  /** Sends only what any browser sends, for plain browsers too. */
  asBrowser?: boolean
  rendering: Rendering
  policy: BrowserPolicy
  /** Selectors that must match before the page is read. */
  required?: readonly string[]
  /** Cap on the markup, and on each download. */
  maxBytes: number
  /** Records everything that the page loads, for its archive. */
  archive?: RecordingLimits | undefined
  /** Cookies and storage to begin with. */
  state: StorageState | null
  /** Cookies that the identity got elsewhere; also set in an open context. */
  cookies?: StorageState['cookies']
  /** Why the browser is used, in words for the record. */
  why: string
  /** Called for each plain request and each tunnel of the page, including the first. */
  before: BeforeTarget
  /** Called before the page's document navigates: redirect, script, refresh, form. */
  beforeDocument?: BeforeDocument
  /** For the live view: the task's number, and how a person pauses it. */
  seen?: { n: number; steering: Steering } | undefined
  /** Runs after the load (actions, recordings); implies a Playwright driver. */
  act?: Act
  /** Gets the evidence of `policy.keepOnFailure` before `open` rejects. */
  onFailure?: (artifacts: Artifact[]) => void
}

/** A rendered, open page. Its seat is taken until `release`, at most until the task's deadline. */
export interface RenderedVisit {
  /** Body is the markup (or the file, if the URL was a download); has `rendered`. */
  page: Page
  live: LivePage
  /** Evidence of `policy.keepOnFailure` from the current page, for failures after `open`. */
  evidence(): Promise<Artifact[]>
  /** Cookies and storage as they are now. */
  state(): Promise<StorageState>
  /** Returns the seat; idempotent. Read data stays usable, `live` does not. */
  release(): Promise<void>
}

/** A whole browser, for a client that drives it. */
export interface LendBrowserRequest
  extends Pick<
      VisitRequest,
      | 'jobId'
      | 'session'
      | 'userAgent'
      | 'proxy'
      | 'region'
      | 'asBrowser'
      | 'before'
      | 'state'
      | 'keepsSitesApart'
    >,
    Pick<LendRequest, 'rules' | 'client'> {
  /** Most bytes that all its pages together may receive. */
  maxBytes: number
}

export interface BrowserFetch extends AsyncDisposable {
  /** Pages in use, for the live view. */
  readonly seats: SeatBoard
  /** Rejects with a Failure: `browser.missing`, `pool.exhausted`, `task.deadline`, `navigation.failed`, … */
  open(request: VisitRequest, signal: AbortSignal): Promise<RenderedVisit>
  /** Rejects like `open`. The seat is taken until `release`. */
  lend(request: LendBrowserRequest, signal: AbortSignal): Promise<LentSeat>
  /** Closes contexts and identities of this job. */
  forgetJob(jobId: string): Promise<void>
  stats(): PoolStats
  /** Whether a real load of a loopback page worked in the last 60 s; tries one if there was none. */
  isReady(): Promise<boolean>
}

/** `total` and the others count seats: pages that can be open at the same time. */
export interface PoolStats {
  total: number
  available: number
  in_use: number
  pages_processed: number
  recycled_count: number
  /** The running browsers. */
  browsers: BrowserCounts[]
}

/** The identity of a session for the browser in use. Called once per session, kind and device. */
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
