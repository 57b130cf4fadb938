// The interface between the pool and its drivers. Our CDP client implements it, and so do Playwright and its forks.

import type { Download as PlaywrightDownload, Page as PlaywrightPage } from 'playwright-core'
import type { HeaderList } from '../../model/page/page.ts'
import type { PageParts } from '../../model/page/page-parts.ts'
import type {
  Artifact,
  BrowserPolicy,
  Identity,
  LivePage,
  Rendering,
  StorageState,
} from '../../model/policy/rendering.ts'
import type { Settled } from '../../model/policy/way.ts'
import type { RecordingLimits } from './cdp/traffic-recorder.ts'
import type { SendCommand } from './seats/page-viewer.ts'

/** Every driver guarantees two things. Calls end when `signal` is aborted. Nothing runs after `close`. */
export interface BrowserDriver {
  readonly name: 'cdp' | 'playwright' | 'patchright'
  launch(options: LaunchOptions): Promise<LaunchedBrowser>
}

export interface LaunchOptions {
  executablePath: string
  /** Environment variables of the browser. Our own environment is not passed on, because it contains secrets. */
  env: Record<string, string>
  /** Flags of the browser; launch-flags.ts builds them. */
  args: string[]
  /** Profile folder of the browser. The pool creates and removes it. */
  profileDir: string
  headless: boolean
  timeoutMs: number
}

export interface LaunchedBrowser {
  /** Pid of the process group leader, so that the group can be killed. */
  readonly pid: number
  /** For example `156.0.7000.1`. */
  readonly version: string
  /** Resolves when the process or its connection has ended for any reason. */
  readonly gone: Promise<void>
  openContext(options: ContextOptions): Promise<DrivenContext>
  close(): Promise<void>
}

export interface ContextOptions {
  /** Loopback port of the egress proxy of this context. All traffic goes through it, loopback included. */
  proxyPort: number
  identity: Identity
  state: StorageState | null
  /** Whether frames of other sites run in their own processes. */
  keepsSitesApart: boolean
  /** Folder for downloads. The pool creates and removes it. */
  downloadsDir: string
  maxDownloadBytes: number
}

/** A context with one tab at a time. The pool gives it to one task after another of the same job and identity. */
export interface DrivenContext {
  /** Navigates and waits as requested; rejects with a `Failure`. The tab stays open until `clear`, `close` or the next load. */
  load(request: LoadRequest, signal: AbortSignal): Promise<LoadedPage>
  /** Evidence of the current page, also after a failed load. Stops after `timeoutMs` if the page does not respond. Never rejects. */
  evidence(kinds: EvidenceKinds, timeoutMs: number): Promise<Artifact[]>
  state(): Promise<StorageState>
  /** The page that is open, for the live view; null if there is none. */
  shown?(): ShownPage | null
  /** Prepares the context for the next page. The old page ends at once or after a short time. With `storage`, also
   *  clears cookies and storage. */
  clear(options: { storage: boolean }): Promise<void>
  /** First escalation: closes the tab in any state. The next load opens a new one. */
  closePage(): Promise<void>
  /** Second escalation: closes the context. */
  close(): Promise<void>
}

/** An open page, as the live view accesses it. */
export interface ShownPage {
  url: string
  console: readonly string[]
  send: SendCommand
}

export type EvidenceKinds = BrowserPolicy['keepOnFailure']

/** Waits until a download is stored. Rejects with the failure if it could not be stored. */
export type DownloadKept = (download: PlaywrightDownload) => Promise<unknown>

/** Runs actions in the loaded page before it is read. Only drivers of the Playwright family support it. */
export type Act = (page: PlaywrightPage, signal: AbortSignal, downloadKept: DownloadKept) => Promise<void>

export type BeforeDocument = (url: string) => Promise<void>

export interface LoadRequest {
  url: string
  /** Headers for the page's own origin. `headersTo` (fetch/http) decides which of them go to other origins. */
  headers: Record<string, string>
  /** Called before the tab's document navigates to another URL for any reason. A rejection ends the load. */
  beforeDocument?: BeforeDocument | undefined
  /** Cookies to set before the request. They replace cookies of the same name. */
  cookies?: StorageState['cookies']
  navigationMs: number
  /** Longest wait for content after the page has loaded. */
  settleMs: number
  /** Selectors that must match before the page is read. */
  required?: readonly string[]
  rendering: Rendering
  maxBytes: number
  /** Records everything that the page loads. */
  archive?: RecordingLimits | undefined
  act?: Act
  /** Records a trace for `evidence`. Only drivers of the Playwright family support it. */
  trace?: boolean
}

/** The page as it was when the wait for its content ended. */
export interface LoadedPage {
  finalUrl: string
  status: number
  headers: HeaderList
  /** Headers of the page's request, as the browser sent them. */
  requestHeaders: HeaderList
  html: string
  /** How the wait for content ended; null if the driver did not wait for content. */
  settled: Settled | null
  /** Redirects of the main document, in order. */
  hops: Array<{ from: string; to: string; status: number }>
  sentAt: number
  endedAt: number
  screenshot: Buffer | null
  pdf: Buffer | null
  /** The result of `rendering.js` as JSON text. */
  value: string | null
  downloads: Array<{ fileName: string; type: string; path: string; bytes: number }>
  /** The reasons why other downloads of the page were not stored. */
  notKept: string[]
  console: string[]
  network: NetworkEntry[]
  /** Everything that the page loaded; null if no archive was requested. */
  parts: PageParts | null
  live: LivePage
}

export interface NetworkEntry {
  url: string
  method: string
  type: string
  status: number | null
  failed: string | null
}
