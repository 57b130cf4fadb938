// A plan: what a job would take.
import type { JobKind } from './job.ts'
import type { Rate } from './policy/policy.ts'

export interface JobPlan {
  kind: JobKind
  pages: {
    /** Null if unknown. Limited by the job's page limit. */
    count: number | null
    basis: string
    /** Known URLs that robots.txt disallows. */
    disallowed: number
    hosts: number
  }
  hosts: HostPlan[]
  sample: {
    pages: number
    ok: number
    /** Failed sample pages by reason. */
    failures: Record<string, number>
    bytesPerPage: number
    millisecondsPerPage: number
    needBrowser: number
    /** Evidence of one of them. */
    whyBrowser: string | null
  }
  estimate: {
    /** At the polite rate; null if the number of pages is unknown. */
    seconds: number | null
    secondsPerThousandPages: number
    /** What limits the time. */
    why: string
    bytes: number | null
    browserPages: number | null
    browserSeconds: number | null
    money: number | null
  }
  /** Requests of the plan. Their responses are not stored. */
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
