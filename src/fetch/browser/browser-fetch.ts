// The interface of browser rendering: the request for a page, and the open page.
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
import type { SeatControl } from './seats/seat-control.ts'

export type EgressTarget = ProxyTarget

/** Resolves when the target may be requested, after a wait for its slot. Rejects with the failure that forbids the
 *  request. */
export type BeforeTarget = (target: EgressTarget, signal: AbortSignal) => Promise<void>

export interface RenderRequest {
  jobId: string
  url: string
  /** Headers of the job. Headers of the identity, such as the user agent, are not among them. */
  headers: Record<string, string>
  browser: BrowserKind
  /** The user agent of a plain browser, which contains our product name. */
  userAgent: string
  /** Pages of one session share an identity and, with `isolation: session`, cookies. Another session name means another
   *  identity. */
  session: string
  /** Proxy for all requests of the page. Without it, connections are direct. */
  proxy?: ProxyAddress | undefined
  /** Country of the identity: that of its proxy, or of this machine if there is no proxy. */
  region?: string | null
  /** Whether frames of other sites run in their own processes. Used for jobs with a session or credentials. */
  keepsSitesApart?: boolean
  /** If true, the page sends the headers of a usual browser, without our product name, even if `browser` is `plain`. */
  asBrowser?: boolean
  rendering: Rendering
  policy: BrowserPolicy
  /** Selectors that must match before the page is read. */
  required?: readonly string[]
  /** Limit for the markup, and for each download. */
  maxBytes: number
  /** If set, everything that the page loads is recorded for its archive. */
  archive?: RecordingLimits | undefined
  /** Cookies and storage that the context starts with. */
  state: StorageState | null
  /** Cookies that the identity received in requests without a browser. They are also set in a context that is already
   *  open. */
  cookies?: StorageState['cookies']
  /** The reason why a browser is used, as text for the record. */
  why: string
  /** Called for each plain HTTP request and each new tunnel of the page, including the first. */
  before: BeforeTarget
  /** Called before the page's document navigates by a redirect, script, refresh or form. */
  beforeDocument?: BeforeDocument
  /** For the live view: the task's number, and the control to pause the task. */
  seen?: { n: number; control: SeatControl } | undefined
  /** Runs actions or a recording after the load. Requires a driver of the Playwright family. */
  act?: Act
  /** Called with the evidence of `policy.keepOnFailure` before `open` rejects. */
  onFailure?: (artifacts: Artifact[]) => void
}

/** A rendered page that is still open. It occupies its seat until `release`, at most until the deadline of the task. */
export interface RenderedPage {
  /** The body is the markup, or the file if the URL was a download. `rendered` is set. */
  page: Page
  live: LivePage
  /** Evidence of `policy.keepOnFailure` from the current page. For failures after `open`. */
  evidence(): Promise<Artifact[]>
  /** The current cookies and storage. */
  state(): Promise<StorageState>
  /** Returns the seat. Idempotent. Data that was read stays usable, but calls of `live` reject. */
  release(): Promise<void>
}

/** Options of a whole browser that a client controls. */
export interface LendBrowserRequest
  extends Pick<
      RenderRequest,
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
  /** Maximum number of bytes that all pages of the browser together may receive. */
  maxBytes: number
}

export interface BrowserFetch extends AsyncDisposable {
  /** Pages in use, for the live view. */
  readonly seats: SeatBoard
  /** Rejects with a Failure: `browser.missing`, `pool.exhausted`, `task.deadline`, `navigation.failed`, … */
  open(request: RenderRequest, signal: AbortSignal): Promise<RenderedPage>
  /** Starts a browser for a client. Rejects like `open`. Takes a seat until `release`. */
  lend(request: LendBrowserRequest, signal: AbortSignal): Promise<LentSeat>
  /** Closes the contexts of this job and discards its identities. */
  forgetJob(jobId: string): Promise<void>
  stats(): PoolStats
  /** Whether browsers work. True if a page was loaded in the last 60 s. Otherwise loads a test page from loopback to
   *  find out. */
  isReady(): Promise<boolean>
}

/** `total`, `available` and `in_use` count seats: pages that can be open at the same time. */
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
  /** Version of the browser, such as `156.0.7000.1`. */
  version: string
}
