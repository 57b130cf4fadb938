// What the pool needs from whoever drives a browser: our own CDP client, or Playwright and its like.

import type { Download as PlaywrightDownload, Page as PlaywrightPage } from 'playwright-core'
import type { HeaderList } from '../../model/page/page.ts'
import type {
  Artifact,
  BrowserPolicy,
  Identity,
  LivePage,
  Rendering,
  StorageState,
} from '../../model/policy/rendering.ts'
import type { Settled } from '../../model/policy/way.ts'

/** Promises of every driver: no call waits for ever once `signal` is aborted, and nothing is left running after `close`. */
export interface BrowserDriver {
  readonly name: 'cdp' | 'playwright' | 'patchright'
  launch(options: LaunchOptions): Promise<LaunchedBrowser>
}

export interface LaunchOptions {
  executablePath: string
  /** Variables that this browser needs beside a bare environment; ours, with its secrets, is not handed on. */
  env: Record<string, string>
  /** Flags that hold for every browser of ours: see launch-flags.ts. */
  args: string[]
  /** Own folder of this browser; made and removed by the pool. */
  profileDir: string
  headless: boolean
  timeoutMs: number
}

export interface LaunchedBrowser {
  /** Of the process that leads its own group, so that the group can be killed. */
  readonly pid: number
  /** `156.0.7000.1` */
  readonly version: string
  /** Resolves when the process or the connection to it is gone, however that came. */
  readonly gone: Promise<void>
  openContext(options: ContextOptions): Promise<DrivenContext>
  close(): Promise<void>
}

export interface ContextOptions {
  /** The gate's own forward proxy for this context, on loopback: everything goes through it, loopback included. */
  proxyPort: number
  identity: Identity
  state: StorageState | null
  /** Whether frames of other sites have processes of their own. */
  keepsSitesApart: boolean
  /** Made and removed by the pool. */
  downloadsDir: string
  maxDownloadBytes: number
}

/** One context with one tab in use at a time: the pool hands it to one task after another of one job and identity. */
export interface DrivenContext {
  /** Navigates and waits as asked; rejects with a `Failure`. The tab stays open until `clear`, `close` or the next load. */
  load(request: LoadRequest, signal: AbortSignal): Promise<LoadedPage>
  /** What can be had of the page as it is, also after a load that failed; gives up on one that does not answer within `timeoutMs`, never rejects. */
  evidence(kinds: EvidenceKinds, timeoutMs: number): Promise<Artifact[]>
  state(): Promise<StorageState>
  /** Ends what the page does and leaves a blank tab; with `storage`, forgets cookies and storage too. */
  clear(options: { storage: boolean }): Promise<void>
  /** First rung of the kill ladder: closes the tab whatever it is doing. The next load opens a new one. */
  closePage(): Promise<void>
  /** Second rung: closes all of it. */
  close(): Promise<void>
}

export type EvidenceKinds = BrowserPolicy['keepOnFailure']

/** Waits for a file that a page began to download; rejects with the Failure for which it is not kept. */
export type DownloadKept = (download: PlaywrightDownload) => Promise<unknown>

/** What is done in the page once it has loaded, before it is read. Only drivers of Playwright's kind are given one. */
export type Act = (page: PlaywrightPage, signal: AbortSignal, downloadKept: DownloadKept) => Promise<void>

export type BeforeDocument = (url: string) => Promise<void>

export interface LoadRequest {
  url: string
  /** Set for the page's own origin; `headersTo` (fetch/http) decides what of them goes to others. */
  headers: Record<string, string>
  /** Asked before the tab's own document goes on to another URL, by whichever means; rejects with the Failure that ends the load. */
  beforeDocument?: BeforeDocument | undefined
  /** Put in before the page is asked for, over those of the same name that the context has. */
  cookies?: StorageState['cookies']
  navigationMs: number
  /** Longest wait for content after the page has loaded. */
  settleMs: number
  /** Selectors that have to match something before the page is read. */
  required?: readonly string[]
  rendering: Rendering
  maxBytes: number
  act?: Act
  /** Records what the driver does, for `evidence` to take. Only drivers of Playwright's kind can. */
  trace?: boolean
}

/** The page as it was when waiting was over. */
export interface LoadedPage {
  finalUrl: string
  status: number
  headers: HeaderList
  /** That the page was asked for with, as the browser sent them. */
  requestHeaders: HeaderList
  html: string
  /** How the wait for its content ended; null where nothing was waited for. */
  settled: Settled | null
  /** Redirects of the main document, in order. */
  hops: Array<{ from: string; to: string; status: number }>
  sentAt: number
  endedAt: number
  screenshot: Buffer | null
  pdf: Buffer | null
  /** What `rendering.js` gave, as JSON text. */
  value: string | null
  downloads: Array<{ fileName: string; type: string; path: string; bytes: number }>
  /** Why other files that the page began to download are not among them. */
  notKept: string[]
  console: string[]
  network: NetworkEntry[]
  live: LivePage
}

export interface NetworkEntry {
  url: string
  method: string
  type: string
  status: number | null
  failed: string | null
}
