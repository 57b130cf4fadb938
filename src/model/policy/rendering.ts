// Rendering: the browser options of a job, and what a browser returns in addition to the page.
import * as z from 'zod'
import type { Extracted, Json, RecordData } from '../record.ts'
import type { Settled } from './way.ts'

/** `never`: HTTP only. `auto`: HTTP first, a browser if the page needs one. `always`: browser. */
export const renderModes = ['never', 'auto', 'always'] as const
export type RenderMode = (typeof renderModes)[number]

/** `plain` identifies itself; `stealth` hides the automation, needs a consent, and is recorded in the job's conduct. */
export const browserKinds = ['plain', 'stealth'] as const
export type BrowserKind = (typeof browserKinds)[number]

/** Resources that can be blocked. */
const blockable = ['images', 'fonts', 'media', 'ads'] as const
export type Blockable = (typeof blockable)[number]

const waitMs = z.int().min(0).max(600_000)
const waitSpan = z
  .strictObject({ minMs: waitMs, maxMs: waitMs })
  .refine(({ minMs, maxMs }) => minMs <= maxMs, 'min_ms is above max_ms')

export const rendering = z.strictObject({
  screenshot: z.boolean().default(false),
  /** The screenshot covers the whole page, not only the window. */
  fullPage: z.boolean().default(false),
  pdf: z.boolean().default(false),
  /** Uses the window size and user agent of a phone: `true` for the default phone, or the name of a device. */
  mobile: z.union([z.boolean(), z.string().min(1).max(100)]).default(false),
  /** A selector, `networkidle`, milliseconds, or a range for a random wait per page. */
  waitFor: z.union([waitMs, z.string().min(1).max(2_000), waitSpan]).optional(),
  /** Scrolls down until nothing more loads, at most this many screens. */
  scroll: z.union([z.boolean(), z.int().min(1).max(1_000)]).default(false),
  block: z.array(z.enum(blockable)).default([]),
  /** A JavaScript expression that runs in the page. Its value becomes the field `js` of the record. */
  js: z.string().min(1).max(100_000).optional(),
  /** Longest wait for content after the page has loaded. This value overrides `settleMs` of the browser policy. */
  settleMs: waitMs.optional(),
})
export type Rendering = z.output<typeof rendering>

/** How a browser is used for the tasks of a job. */
export const browserPolicy = z.strictObject({
  /** `task`: tasks share nothing. `session`: cookies and storage are shared within the job. */
  isolation: z.enum(['task', 'session']).default('session'),
  navigationMs: z.int().min(1).max(600_000).default(30_000),
  /** Longest wait for content after a page has loaded, while the page is empty, is a skeleton, or lacks a required field. */
  settleMs: z.int().min(0).max(600_000).default(10_000),
  /** Timeout of the whole task with its actions. It also applies if the browser hangs. */
  taskMs: z.int().min(1).max(3_600_000).default(60_000),
  /** Evidence to store if a task fails. `steps`: a small screenshot after each step of its actions. */
  keepOnFailure: z
    .array(z.enum(['screenshot', 'html', 'console', 'network', 'trace', 'steps']))
    .default(['screenshot', 'html', 'console', 'steps']),
})
export type BrowserPolicy = z.output<typeof browserPolicy>

/** A file of a task: made by a browser, or downloaded. */
export interface Artifact {
  /** `screenshot`, `pdf`, `download`, `not-kept`, `console`, `network`, `trace` or `html`. Further files of the same kind have a
   *  number: `screenshot-2`. */
  name: string
  fileName: string
  type: string
  bytes: Buffer
}

/** A stored artifact. */
export interface KeptArtifact extends Omit<Artifact, 'bytes'> {
  bytes: number
  /** Key of the blob that contains the file. */
  key: string
}

/** What a browser returns in addition to the page. */
export interface Rendered {
  /** Why the browser was used, as text for the record. */
  why: string
  artifacts: Artifact[]
  /** The value of the job's `js`. */
  value?: Json
  /** Values of action steps by name. */
  values?: RecordData
  /** Records that actions extracted. If set, the page itself gives no records. */
  extracted?: Extracted[]
  /** How the wait for the page's content ended. */
  settled?: Settled
  /** The open page, for scrapers that wait and scroll. It closes when the task ends. */
  live?: LivePage
}

/** A page that is still open in its tab. Every call is limited by the task's deadline. */
export interface LivePage {
  /** Resolves true once the selector matches something, false when `timeoutMs` passed first. */
  waitFor(selector: string, timeoutMs: number): Promise<boolean>
  /** Scrolls to the end up to `times` times, and stops if no content is added. Resolves with how often content was added. */
  scroll(options: { times: number; until?: string; timeoutMs: number }): Promise<number>
  /** The current markup. */
  html(): Promise<string>
}

/** Cookies and storage of a stored session, in Playwright's format. */
export interface StorageState {
  cookies: Array<{
    name: string
    value: string
    domain: string
    path: string
    /** Epoch seconds; -1 means until the browser closes. */
    expires: number
    httpOnly: boolean
    secure: boolean
    sameSite: 'Strict' | 'Lax' | 'None'
  }>
  origins: Array<{ origin: string; localStorage: Array<{ name: string; value: string }> }>
}

/** The identity that a browser shows to sites. Its parts match each other, and each session has its own. */
export interface Identity {
  /** Unique: two identities never share a browser context. */
  id: string
  userAgent: string
  /** Client hints and other headers that match this user agent. */
  headers: Record<string, string>
  viewport: { width: number; height: number; deviceScaleFactor: number; isMobile: boolean; hasTouch: boolean }
  /** Size of the screen. Default: the size of the viewport. */
  screen?: { width: number; height: number }
  locale: string
  languages: string[]
  timeZone: string
  geolocation: { latitude: number; longitude: number } | null
  platform: string
}
