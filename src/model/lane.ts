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
  /** The workspace whose credentials, cached responses and browser connections the job uses. Required, because a
   *  default could belong to another tenant. */
  workspace: string
  spec: JobSpec
  userAgent: string
  /** Cookies to start with, as JSON. */
  cookies: string | null
  /** Local storage to start with, from the same file as the cookies. Only browsers use it. */
  storage?: StorageState['origins']
  /** Cookies of the job's session as JSON; only for jobs with a session. */
  sessionCookies?: string
  /** Maximum number of the job's tasks that run at a time in all lanes of the process. `ThreadLanes` replaces it by the share of
   *  one lane. */
  slots: number
  /** Maximum number of requests of all jobs that are in flight, in all lanes or in one lane like `slots`. If the values of the
   *  jobs differ, the largest one applies. */
  inFlight?: number
  /** The span of the job, for log lines. */
  traceparent?: string | null
  /** Version of the browser that HTTP requests imitate; only for jobs with browser headers. */
  browserVersion?: string
  /** Why no browser is available. Set only for jobs that may need a browser. */
  noBrowser?: FailureJson
  /** Memory that all lanes share. It holds the tokens spent on the language model, and which lane asks the model for
   *  rules. Only for jobs with a model. */
  llmLedger?: SharedArrayBuffer
}

/** The limits of one job in a lane. */
export type JobLimit = Pick<LaneJob, 'id' | 'slots' | 'inFlight'>

/** A leased task with the slot that the coordinator reserved for its first request. */
export interface TimedTask extends LeasedTask {
  startAt: number
  /** Minimum time between the starts of two requests to the task's host. */
  gapMs: number
  /** The slot expires this many ms after `startAt`. A task that starts later requests a new slot. Undefined if the slot
   *  never expires, because no other process requests this host. */
  goodForMs?: number
  /** Whether the lane may return the task so that a browser loads its page. True with `render: auto` if a browser may help. */
  mayAskBrowser?: boolean
  /** The identity of the task, for jobs with several identities or proxies. Null if no proxy was available. */
  identity?: TaskIdentity | null
  /** Set if `identity` is null because all identities rest: the time in epoch ms when the first identity is usable again. */
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
  /** When the first request was sent. If that time is unknown: `startedAt` if the task succeeded without a page, otherwise
   *  `endedAt`. */
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
  /** Number of records and sitemaps with a warning, by warning code. */
  warnings?: Record<string, number>
  /** A problem that did not fail the task. It is stored with the task. */
  remark?: string
  /** Set if the records come from a cached response. `cached`: no request was sent. `not-modified`: the page has not
   *  changed. */
  reused?: 'cached' | 'not-modified'
  /** Set with `render: auto`. `not-needed`: the HTTP page was complete. `helped`: the browser added content. `in-vain`:
   *  it added none. */
  rendering?: 'not-needed' | 'helped' | 'in-vain'
  /** The response to cache. */
  answer?: NewAnswer
  /** The identity of the task, with its cookies if they changed. */
  identity?: Pick<TaskIdentity, 'id' | 'proxy' | 'cookies'>
  /** Set if the page is stored and another process will parse it. */
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
  /** The robots.txt entry, if it is already stored: by the worker that sends this report, or by an earlier worker. */
  kept?: RobotsEntry
}
