// What crosses between the coordinator and a lane: tasks go in, reports come out.

import type { FailureJson } from './failures.ts'
import type { RobotsEntry } from './host.ts'
import type { JobKind, JobSpec } from './job.ts'
import type { KnownAnswer, NewAnswer } from './page/answer.ts'
import type { AdmittedLinks } from './page/links.ts'
import type { BlobRef } from './page/page.ts'
import type { TaskIdentity } from './policy/proxy.ts'
import type { KeptArtifact } from './policy/rendering.ts'
import type { NewRecord } from './record.ts'
import type { Key, LeasedTask } from './task.ts'

/** A job as a lane needs to know it; sent once, before its first task. */
export interface LaneJob {
  id: string
  kind: JobKind
  /** Whose credentials its scraper works with; the default one where nothing is said. */
  workspace?: string
  spec: JobSpec
  userAgent: string
  /** Cookies to start with, as JSON. */
  cookies: string | null
  /** Those of the session that the job goes on with, as JSON; only for jobs that name one. */
  sessionCookies?: string
  /** Requests that one lane runs at a time for this job. */
  slots: number
  /** Requests that one lane may have in flight over all its jobs, as far as this one is concerned; the largest of its jobs decides. */
  inFlight?: number
  /** Its span, for log lines. */
  traceparent?: string | null
  /** Of the browser that plain requests present themselves as; only for jobs that ask for that. */
  browserVersion?: string
  /** Why there is no browser here, for jobs that may need one. */
  noBrowser?: FailureJson
  /** What the lanes share about a language model: tokens spent so far, and whose turn it is; only for jobs that ask one. */
  llmLedger?: SharedArrayBuffer
}

/** A task that may run, and when at the earliest. */
export interface TimedTask extends LeasedTask {
  startAt: number
  /** Least time between the starts of two requests to its host. */
  gapMs: number
  /** Later than `startAt` by more than this, it asks for a new turn; where nothing is said, nobody else asks its host. */
  goodForMs?: number
  /** Whether the lane may send it back for a browser: the job renders where it is needed, and it may help this page. */
  mayAskBrowser?: boolean
  /** As whom it is done, for jobs that have a choice; null where no proxy could be had. */
  identity?: TaskIdentity | null
  /** Why it has none: those that it asks for rest until then. */
  restsUntil?: number
  /** Only for jobs that use answers again. */
  answer?: TaskAnswer
  /** A worker ended with it, and its turn at the host has passed: a new one is asked for first. */
  isAgain?: boolean
  /** Somebody waits for it: it is read and written down at once, by whoever fetched it. */
  isAwaited?: boolean
}

/** What was answered to the same request before. */
export interface TaskAnswer {
  /** What the next answer is to be remembered by. */
  key: string
  known: KnownAnswer | null
  /** Young enough to be used without asking. */
  isFresh: boolean
}

export interface TaskBatch {
  tasks: TimedTask[]
  /** In whose name they are leased, where that is another process. */
  owner?: string
  /** How often a process died with them before they were sent anew. */
  lost?: number
}

/** How an attempt went, as the lane saw it. What it means is decided by the coordinator. */
export interface TaskReport {
  jobId: string
  n: number
  attempt: number
  startedAt: number
  /** When the request was on its way; the end, where nobody can say. */
  sentAt: number
  /** When the request to `finalUrl` was, after redirects. */
  lastSentAt?: number
  endedAt: number
  /** When what was answered had been read, where anything was. */
  readAt?: number
  failure: FailureJson | null
  finalUrl: string
  status: number | null
  bytes: number
  raw: BlobRef | null
  /** Files that came of it, durable before this is read. */
  artifacts?: KeptArtifact[]
  records: NewRecord[]
  links: AdmittedLinks | null
  /** Sitemaps named by a sitemap. */
  sitemaps: string[]
  canonicalKey: Key | null
  contentKey: Key | null
  /** Whether the page went through the slower, exact parser. */
  specParsed: boolean
  /** Records and sitemaps with each warning, by code. */
  warnings?: Record<string, number>
  /** A problem that the task succeeded in spite of. It is kept with the task. */
  remark?: string
  /** The records are those of an earlier answer: nobody was asked, or what was asked for has not changed. */
  reused?: 'cached' | 'not-modified'
  /** With `render: auto`: whether the plain page was whole, or what rendering it brought. */
  rendering?: 'not-needed' | 'helped' | 'in-vain'
  /** To be remembered. */
  answer?: NewAnswer
  /** As whom it was done, and the cookies that it has since, where they changed. */
  identity?: Pick<TaskIdentity, 'id' | 'proxy' | 'cookies'>
  /** The page was kept and is still to be read, by another process. */
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
  /** What the store holds by now. The worker wrote it, or another worker did meanwhile. */
  kept?: RobotsEntry
}
