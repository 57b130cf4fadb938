// Facts that the engine announces. Whoever shows, logs or counts them listens; nobody is waited for.
import type { JobState } from './job.ts'
import type { TaskWay } from './policy/way.ts'
import type { NewRecord } from './record.ts'
import type { OpenSeat } from './seat.ts'
import type { Reason, TaskState } from './task.ts'
import type { Span } from './trace.ts'

export interface Events {
  /** A job moved to another state. */
  'job.moved': { jobId: string; to: JobState; reason: string | null }
  /** A job was deleted, with all that belongs to it. */
  'job.deleted': { jobId: string }
  /** A task attempt was written down. `state` is `pending` for a retry. */
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
    /** Its own span where it is traced, else that of its job. */
    traceparent?: string | null
  }
  /** A page was asked for: told by whoever asked. */
  'page.fetched': { host: string; way: TaskWay; bytes: number; ms: number; traceparent?: string | undefined }
  /** What came of it: told by whoever wrote it down, who may have read it first. */
  'page.judged': { way: TaskWay; outcome: Reason }
  /** Rows of a job's file were read, and became this. */
  'rows.read': { added: number; duplicate: number; rejected: number; blank: number }
  /** A webhook was sent: taken, to be tried again, or given up. */
  'webhook.tried': { outcome: 'delivered' | 'pending' | 'dead' }
  /** A host asked us to slow down; it may be asked again at `untilMs`. */
  'host.throttled': { host: string; untilMs: number }
  /** robots.txt of an origin was read, or could not be had. */
  'robots.read': { origin: string; verdict: 'parsed' | 'unavailable' | 'unreachable' }
  /** What the pool of browsers counts; told when it changed. */
  'browser.counted': BrowserPool
  /** A group was committed. */
  'group.committed': {
    settlements: number
    records: number
    discovered: number
    ms: number
    /** Of one of its tasks that is traced. */
    traceparent?: string | undefined
  }
  /** Raw pages of ended jobs were deleted: their time was over, or there were too many. */
  'raw.expired': { segments: number; bytes: number }
  /** Traced work is over. Told only where the trace is recorded. */
  'span.ended': Span
  /** Something went on that a person should read. */
  'notice.given': { jobId: string | null; message: string }
}

/** What a pool of browsers says about itself. */
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
  /** Whose it is, where there are several processes that have some. */
  worker?: string
  pid: number
  driver: string
  /** `retiring`: takes nothing new, ends with what it has. */
  phase: 'serving' | 'retiring' | 'gone'
  startedAt: number
  /** Pages that it has loaded. */
  pages: number
  inUse: number
  /** When it was last looked at; null before. */
  memoryBytes: number | null
}

export type Emit = <Name extends keyof Events>(name: Name, event: Events[Name]) => void
