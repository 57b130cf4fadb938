// Rendering: what a job may ask of the browser, and what comes back beside the page.
import * as z from 'zod'
import type { Extracted, Json, RecordData } from '../record.ts'
import type { Settled } from './way.ts'

/** How a page is had: plainly, plainly first and by browser where it needs one, or always by browser. */
export const renderModes = ['never', 'auto', 'always'] as const
export type RenderMode = (typeof renderModes)[number]

/** `plain` says who it is; `stealth` hides that it is driven, must be asked for, and is noted in the job's conduct. */
export const browserKinds = ['plain', 'stealth'] as const
export type BrowserKind = (typeof browserKinds)[number]

/** What is not loaded with a page. */
export const blockable = ['images', 'fonts', 'media', 'ads'] as const
export type Blockable = (typeof blockable)[number]

const waitMs = z.int().min(0).max(600_000)
const waitSpan = z
  .strictObject({ minMs: waitMs, maxMs: waitMs })
  .refine(({ minMs, maxMs }) => minMs <= maxMs, 'min_ms is above max_ms')

export const rendering = z.strictObject({
  screenshot: z.boolean().default(false),
  /** Of the screenshot: all of the page, not only what the window shows. */
  fullPage: z.boolean().default(false),
  pdf: z.boolean().default(false),
  /** A phone's window and user agent: `true` for the usual one, or the name of a device. */
  mobile: z.union([z.boolean(), z.string().min(1).max(100)]).default(false),
  /** A selector to appear, `networkidle`, milliseconds, or a span of them: for each page another time within it, by chance. */
  waitFor: z.union([waitMs, z.string().min(1).max(2_000), waitSpan]).optional(),
  /** Scrolls down until nothing more comes, at most so many screens. */
  scroll: z.union([z.boolean(), z.int().min(1).max(1_000)]).default(false),
  block: z.array(z.enum(blockable)).default([]),
  /** An expression for the page itself; its value goes into the record as `js`. */
  js: z.string().min(1).max(100_000).optional(),
  /** Longest wait for content after the page has loaded, in place of the browser policy's. */
  settleMs: waitMs.optional(),
})
export type Rendering = z.output<typeof rendering>

/** How a browser is used for the tasks of a job. */
export const browserPolicy = z.strictObject({
  /** `task`: nothing of one task is seen by the next. `session`: cookies and storage go on within the job. */
  isolation: z.enum(['task', 'session']).default('session'),
  navigationMs: z.int().min(1).max(600_000).default(30_000),
  /** Longest wait for content after a page has loaded: an empty root, a skeleton, a required field. */
  settleMs: z.int().min(0).max(600_000).default(10_000),
  /** The whole task, actions included; kept by ourselves, whatever the browser does. */
  taskMs: z.int().min(1).max(3_600_000).default(60_000),
  /** What is kept of a task that failed. `steps`: a small picture after each step of its actions. */
  keepOnFailure: z
    .array(z.enum(['screenshot', 'html', 'console', 'network', 'trace', 'steps']))
    .default(['screenshot', 'html', 'console', 'steps']),
})
export type BrowserPolicy = z.output<typeof browserPolicy>

/** A file that came of a task: what a browser made of a page, or what it downloaded. */
export interface Artifact {
  /** `screenshot`, `pdf`, `download`, `not-kept`, `console`, `network`, `trace`, `html`; numbered from the second one on (`screenshot-2`). */
  name: string
  fileName: string
  type: string
  bytes: Buffer
}

/** An artifact as it was kept. */
export interface KeptArtifact extends Omit<Artifact, 'bytes'> {
  bytes: number
  /** Of the blob. */
  key: string
}

/** What the browser adds to a page. */
export interface Rendered {
  /** Why the browser was used, in words for the record. */
  why: string
  artifacts: Artifact[]
  /** What the job's `js` gave. */
  value?: Json
  /** What steps of actions gave, under the names that they gave it. */
  values?: RecordData
  /** Records that actions extracted; then the page itself gives none. */
  extracted?: Extracted[]
  /** How the wait for its content ended. */
  settled?: Settled
  /** The page while it is open, for scrapers that wait and scroll. Gone when the task ends. */
  live?: LivePage
}

/** A page that is still open in its tab. Every call is bounded by the task's deadline. */
export interface LivePage {
  /** Resolves true once the selector matches something, false when `timeoutMs` passed first. */
  waitFor(selector: string, timeoutMs: number): Promise<boolean>
  /** Scrolls to the end so often, or until nothing is added any more; resolves with how often something came. */
  scroll(options: { times: number; until?: string; timeoutMs: number }): Promise<number>
  /** The markup as it is now. */
  html(): Promise<string>
}

/** Cookies and storage, as kept between runs under a session's name. The same shape as Playwright's. */
export interface StorageState {
  cookies: Array<{
    name: string
    value: string
    domain: string
    path: string
    /** Epoch seconds; -1 for as long as the browser runs. */
    expires: number
    httpOnly: boolean
    secure: boolean
    sameSite: 'Strict' | 'Lax' | 'None'
  }>
  origins: Array<{ origin: string; localStorage: Array<{ name: string; value: string }> }>
}

/** Who a browser says it is: consistent in itself, and one per session. */
export interface Identity {
  /** Tells one from another: no two share a browser context. */
  id: string
  userAgent: string
  /** Client hints and the like that belong to this user agent. */
  headers: Record<string, string>
  viewport: { width: number; height: number; deviceScaleFactor: number; isMobile: boolean; hasTouch: boolean }
  /** What the window is on; as large as the window where it is not said. */
  screen?: { width: number; height: number }
  locale: string
  languages: string[]
  timeZone: string
  geolocation: { latitude: number; longitude: number } | null
  platform: string
}
