// A plan: a preview of a job, with estimates of its pages, time and traffic.
import type { JobKind } from './job.ts'
import type { Rate } from './policy/policy.ts'

export interface JobPlan {
  kind: JobKind
  pages: {
    /** Expected number of pages, at most the job's page limit. Null if unknown. */
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
    /** Why one of the `needBrowser` pages needs a browser; null if none does. */
    whyBrowser: string | null
  }
  estimate: {
    /** Duration of the job at the polite rate; null if the number of pages is unknown. */
    seconds: number | null
    secondsPerThousandPages: number
    /** What limits the speed of the job, as text. */
    why: string
    bytes: number | null
    browserPages: number | null
    browserSeconds: number | null
    money: number | null
  }
  /** Requests that were sent to make the plan. Their responses are not stored. */
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
