// Events of the engine. Listeners show, log or count them; the engine does not wait for listeners.
import type { JobState } from './job.ts'
import type { TaskWay } from './policy/way.ts'
import type { NewRecord } from './record.ts'
import type { OpenSeat } from './seat.ts'
import type { Reason, TaskState } from './task.ts'
import type { Span } from './trace.ts'

export interface Events {
  /** A job moved to another state. */
  'job.moved': { jobId: string; to: JobState; reason: string | null }
  /** A job was deleted with all its data. */
  'job.deleted': { jobId: string }
  /** A task attempt was committed. `state` is `pending` for a retry. */
  'task.settled': {
    jobId: string
    n: number
    url: string
    state: TaskState
    reason: Reason
    message: string | null
    durationMs: number
    attempt: number
    proxy: string | null
    records: readonly NewRecord[]
    /** URL of the attempt's last request, for log lines, because the input row of an item may have no URL. */
    requestedUrl?: string
    /** The span of the task if the task is traced. Otherwise the span of its job. */
    traceparent?: string | null
  }
  /** A page was requested; emitted by the process that sent the request. */
  'page.fetched': { host: string; way: TaskWay; bytes: number; ms: number; traceparent?: string | undefined }
  /** The outcome of a page; emitted by the process that committed it. */
  'page.judged': { way: TaskWay; outcome: Reason }
  /** Rows of a job's file were read, with these results. */
  'rows.read': { added: number; duplicate: number; rejected: number; blank: number }
  /** A webhook was sent: delivered, to be retried, or dead. */
  'webhook.tried': { outcome: 'delivered' | 'pending' | 'dead' }
  /** A host asked us to slow down, until `untilMs`. */
  'host.throttled': { host: string; untilMs: number }
  /** robots.txt of an origin was fetched, or could not be fetched. */
  'robots.read': { origin: string; verdict: 'parsed' | 'unavailable' | 'unreachable' }
  /** Counters of the browser pool, when they changed. */
  'browser.counted': BrowserPool
  /** A group was committed. */
  'group.committed': {
    settlements: number
    records: number
    discovered: number
    ms: number
    /** Span of one traced task of the group. */
    traceparent?: string | undefined
  }
  /** Raw pages of ended jobs were deleted, by age or by total size. */
  'raw.expired': { segments: number; bytes: number }
  /** A span has ended. Only if the trace is recorded. */
  'span.ended': Span
  /** A message for the operator or the owner of the job. */
  'notice.given': { jobId: string | null; message: string }
}

/** Counters of a browser pool. */
export interface BrowserPool {
  total: number
  available: number
  inUse: number
  pagesProcessed: number
  recycledCount: number
  browsers: BrowserCounts[]
  /** Pages in use. */
  seats: OpenSeat[]
}

/** One browser of a pool. */
export interface BrowserCounts {
  /** The worker that runs this browser, if there are several workers. */
  worker?: string
  pid: number
  driver: string
  /** `retiring`: the browser opens no new pages and ends when its last page closes. */
  phase: 'serving' | 'retiring' | 'gone'
  startedAt: number
  /** Number of pages that the browser has loaded since its start. */
  pages: number
  inUse: number
  /** Memory at the last check; null before the first check. */
  memoryBytes: number | null
}

export type Emit = <Name extends keyof Events>(name: Name, event: Events[Name]) => void
