// Messages between the coordinator and a lane: the coordinator sends tasks, the lane returns reports.

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

/** The part of a job that a lane needs. The coordinator sends it once, before the first task of the job. */
export interface LaneJob {
  id: string
  kind: JobKind
  /** The workspace whose credentials, cached answers and browser connections the job uses. Required: a default would be
   *  another tenant. */
  workspace: string
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
  /** Limit of requests that one lane has in flight for all its jobs. If its jobs differ, the largest value applies. */
  inFlight?: number
  /** The span of the job, for log lines. */
  traceparent?: string | null
  /** Version of the browser that HTTP requests imitate; only for jobs with browser headers. */
  browserVersion?: string
  /** Why no browser is available. Set only for jobs that may need a browser. */
  noBrowser?: FailureJson
  /** Memory that all lanes share: spent tokens of the language model, and which lane asks the model for rules. Only for jobs
   *  with a model. */
  llmLedger?: SharedArrayBuffer
}

/** A leased task with the slot that the coordinator reserved for its first request. */
export interface TimedTask extends LeasedTask {
  startAt: number
  /** Least time between the starts of two requests to its host. */
  gapMs: number
  /** If the task starts more than this many ms after `startAt`, its slot has expired and it requests a new one. Undefined: the
   *  slot never expires, because no other process requests this host. */
  goodForMs?: number
  /** Whether the lane may return the task so that a browser loads its page. True with `render: auto` if a browser may help. */
  mayAskBrowser?: boolean
  /** The identity of the task, for jobs with several identities or proxies. Null if no proxy was available. */
  identity?: TaskIdentity | null
  /** Set if `identity` is null because all identities rest: when the first one is usable again, in epoch ms. */
  restsUntil?: number
  /** The cache entry of the task's request. Set only for jobs that use cached responses. */
  answer?: TaskAnswer
  /** An earlier worker died with the task and may have used its slot. The task must request a new slot. */
  isAgain?: boolean
  /** A caller waits for the result. To save time, the worker that fetches the page also parses and commits it. */
  isAwaited?: boolean
}

/** The cache entry for a task's request. */
export interface TaskAnswer {
  /** The cache key of the request. The new response is stored under it. */
  key: string
  /** The cached response; null if there is none. */
  known: KnownAnswer | null
  /** Whether the cached response is young enough to be used without a request. */
  isFresh: boolean
}

export interface TaskBatch {
  tasks: TimedTask[]
  /** The owner of the leases, if it is another process. */
  owner?: string
  /** How many processes died while they worked on this batch. */
  lost?: number
}

/** The outcome of an attempt, as the lane saw it. The coordinator decides what it means. */
export interface TaskReport {
  jobId: string
  n: number
  attempt: number
  startedAt: number
  /** When the first request was sent; the end time if unknown. */
  sentAt: number
  /** When the request to `finalUrl` was sent, if there were redirects. */
  lastSentAt?: number
  endedAt: number
  /** When the page was parsed; unset if it was not parsed. */
  readAt?: number
  failure: FailureJson | null
  finalUrl: string
  status: number | null
  bytes: number
  raw: BlobRef | null
  /** Files of the attempt. They are durable before the report is sent. */
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
  /** Set with `render: auto`. `not-needed`: the HTTP page was complete. `helped` or `in-vain`: whether the browser added content. */
  rendering?: 'not-needed' | 'helped' | 'in-vain'
  /** The response to cache. */
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
  /** The robots.txt in the store, if a worker has stored it: the worker that made this report, or another worker before it. */
  kept?: RobotsEntry
}
