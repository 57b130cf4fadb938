// What a job would take, told before it takes it.
import type { JobKind } from './job.ts'
import type { Rate } from './policy/policy.ts'

export interface JobPlan {
  kind: JobKind
  pages: {
    /** Null where nobody can say. Bounded by what the job may have. */
    count: number | null
    basis: string
    /** Known by name, and not let by robots.txt. */
    disallowed: number
    hosts: number
  }
  hosts: HostPlan[]
  sample: {
    pages: number
    ok: number
    /** Of the others, how often and why. */
    failures: Record<string, number>
    bytesPerPage: number
    millisecondsPerPage: number
    needBrowser: number
    /** What gave one of them away. */
    whyBrowser: string | null
  }
  estimate: {
    /** At the polite rate; null where the number of pages is not known. */
    seconds: number | null
    secondsPerThousandPages: number
    /** What sets the time. */
    why: string
    bytes: number | null
    browserPages: number | null
    browserSeconds: number | null
    money: number | null
  }
  /** What was asked for to find this out. Nothing of it is kept. */
  asked: Array<{
    url: string
    status: number | null
    reason: string | null
    bytes: number
    milliseconds: number
  }>
  notes: string[]
}

export interface HostPlan {
  host: string
  pages: number
  /** Requests per second, crawl-delay included. */
  rate: Rate
  crawlDelayMs: number | null
  robots: 'parsed' | 'unavailable' | 'unreachable' | 'not-asked' | 'ignored'
}
