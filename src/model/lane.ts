// Messages between coordinator and lane: tasks in, reports out.

import type { FailureJson } from './failures.ts'
import type { RobotsEntry } from './host.ts'
import type { JobKind, JobSpec } from './job.ts'
import type { KnownAnswer, NewAnswer } from './page/answer.ts'
import type { AdmittedLinks } from './page/links.ts'
import type { BlobRef } from './page/page.ts'
import type { TaskIdentity } from './policy/proxy.ts'
import type { KeptArtifact, StorageState } from './policy/rendering.ts'
import type { NewRecord } from './record.ts'
import type { Key, LeasedTask } from './task.ts'

/** The part of a job that a lane needs; sent once, before its first task. */
export interface LaneJob {
  id: string
  kind: JobKind
  /** The workspace whose credentials the scraper uses; default: the default workspace. */
  workspace?: string
  spec: JobSpec
  userAgent: string
  /** Cookies to start with, as JSON. */
  cookies: string | null
  /** Local storage to start with, from the same file as the cookies. Only browsers use it. */
  storage?: StorageState['origins']
  /** Cookies of the job's session as JSON; only for jobs with a session. */
  sessionCookies?: string
  /** Requests that one lane runs at a time for this job. */
  slots: number
  /** Requests that one lane may have in flight, as far as this job is concerned; the largest value of its jobs applies. */
  inFlight?: number
  /** Its span, for log lines. */
  traceparent?: string | null
  /** Version of the browser that plain requests imitate; only for jobs that want it. */
  browserVersion?: string
  /** Why there is no browser, for jobs that may need one. */
  noBrowser?: FailureJson
  /** Shared by the lanes: tokens spent on the language model, and which lane asks for rules; only for jobs with a model. */
  llmLedger?: SharedArrayBuffer
}

/** A runnable task with its earliest start. */
export interface TimedTask extends LeasedTask {
  startAt: number
  /** Least time between the starts of two requests to its host. */
  gapMs: number
  /** If it is later than `startAt` by more than this, it requests a new slot. Undefined if no other process requests its host. */
  goodForMs?: number
  /** Whether the lane may send it back for a browser: the job renders if needed, and it may help this page. */
  mayAskBrowser?: boolean
  /** The identity of the task, for jobs with a choice; null if no proxy was available. */
  identity?: TaskIdentity | null
  /** Why it has none: its identities rest until then. */
  restsUntil?: number
  /** Only for jobs that use cached responses. */
  answer?: TaskAnswer
  /** A worker died with it, so its slot has passed and a new one is needed. */
  isAgain?: boolean
  /** A caller waits for it: the worker that fetched it also parses and commits it. */
  isAwaited?: boolean
}

/** The cached response of the same request. */
export interface TaskAnswer {
  /** The cache key of the next response. */
  key: string
  known: KnownAnswer | null
  /** Young enough to be used without asking. */
  isFresh: boolean
}

export interface TaskBatch {
  tasks: TimedTask[]
  /** The owner of the lease, if it is another process. */
  owner?: string
  /** How often a process died with them before they were sent again. */
  lost?: number
}

/** The outcome of an attempt, as the lane saw it. The coordinator decides what it means. */
export interface TaskReport {
  jobId: string
  n: number
  attempt: number
  startedAt: number
  /** When the request was sent; the end time if unknown. */
  sentAt: number
  /** When the request to `finalUrl` was, after redirects. */
  lastSentAt?: number
  endedAt: number
  /** When the response was parsed, if it was. */
  readAt?: number
  failure: FailureJson | null
  finalUrl: string
  status: number | null
  bytes: number
  raw: BlobRef | null
  /** Its files, durable before this report is read. */
  artifacts?: KeptArtifact[]
  records: NewRecord[]
  links: AdmittedLinks | null
  /** Sitemaps named by a sitemap. */
  sitemaps: string[]
  canonicalKey: Key | null
  contentKey: Key | null
  /** Whether the page needed the slower, exact parser. */
  specParsed: boolean
  /** Records and sitemaps with each warning, by code. */
  warnings?: Record<string, number>
  /** A problem that did not fail the task. Stored with the task. */
  remark?: string
  /** The records come from a cached response: no request was sent, or the page has not changed. */
  reused?: 'cached' | 'not-modified'
  /** With `render: auto`: whether the plain page was complete, or what rendering added. */
  rendering?: 'not-needed' | 'helped' | 'in-vain'
  /** To be remembered. */
  answer?: NewAnswer
  /** The identity of the task, with its cookies if they changed. */
  identity?: Pick<TaskIdentity, 'id' | 'proxy' | 'cookies'>
  /** The page is stored, and another process will parse it. */
  unread?: true
}

export interface RobotsReport {
  origin: string
  status: number | null
  body: string
  maxAgeMs: number | null
  failure: FailureJson | null
  startedAt: number
  sentAt: number
  endedAt: number
  /** The stored entry, written by this worker or by another one meanwhile. */
  kept?: RobotsEntry
}
