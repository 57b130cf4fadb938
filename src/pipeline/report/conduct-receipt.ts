// The conduct receipt of a job: its user agent, its consents, its request rate per host, and what it did not fetch.
import type { ConductNote } from '../../model/conduct.ts'
import type { RobotsEntry } from '../../model/host.ts'
import type { Job } from '../../model/job.ts'
import { browserKindOf, renderModeOf } from '../../model/policy/render-mode.ts'
import type { Store } from '../../ports/store.ts'
import { robotsToldTo } from '../coordinate/hosts/robots-reader.ts'

export interface ConductReceipt {
  jobId: string
  userAgent: string | null
  robots: {
    /** The job's robots.txt setting. Null if the policy of each host decides. */
    policy: 'obey' | 'ignore' | null
    /** Pages that robots.txt disallows. */
    disallowed: number
    /** Pages that failed because robots.txt could not be fetched. */
    unreachable: number
    files: RobotsFile[]
  }
  browser: { mode: string; stealth: boolean; pages: number }
  personalData: 'keep' | 'mask' | 'drop'
  consents: ConductNote[]
  /** Tasks that ended because their host is on the do-not-crawl list. */
  denied: number
  /** Tasks that failed because their host kept asking us to slow down. */
  throttled: number
  hosts: HostConduct[]
  /** Whether there are more hosts than those listed. */
  moreHosts: boolean
}

interface HostConduct {
  host: string
  requests: number
  firstAt: number
  lastAt: number
  /** Requests per second between the first and the last request; null if there was only one request. */
  achievedRate: number | null
}

interface RobotsFile {
  origin: string
  verdict: RobotsEntry['verdict']
  fetchedAt: number
}

const mostHosts = 100
const mostRobotsFiles = 20

export async function conductReceipt(store: Store, job: Job): Promise<ConductReceipt> {
  const { id: jobId, spec } = job
  const { byReason, rendered } = await store.jobs.counts(jobId)
  const paces = await store.hosts.paces(jobId, mostHosts + 1)
  const hosts = paces.slice(0, mostHosts)
  return {
    ...{ jobId, userAgent: spec.userAgent ?? null },
    robots: {
      policy: spec.policy.robots ?? null,
      disallowed: byReason['robots.disallowed'] ?? 0,
      unreachable: byReason['robots.unreachable'] ?? 0,
      files:
        spec.policy.robots === 'ignore' ? [] : await robotsFiles(store, job, hosts.slice(0, mostRobotsFiles)),
    },
    browser: { mode: renderModeOf(spec), stealth: browserKindOf(spec) === 'stealth', pages: rendered },
    personalData: spec.pii ?? 'keep',
    consents: await store.conduct.notes(jobId),
    denied: byReason['host.denied'] ?? 0,
    throttled: byReason['host.throttled'] ?? 0,
    hosts: hosts.map(pace => ({ ...pace, achievedRate: rateOf(pace) })),
    moreHosts: paces.length > mostHosts,
  }
}

/** The average rate. It divides by the number of intervals, which is one less than the number of requests. */
function rateOf({ requests, firstAt, lastAt }: Omit<HostConduct, 'achievedRate'>): number | null {
  if (requests < 2) return null
  return Math.round(((requests - 1) / Math.max(1, lastAt - firstAt)) * 1_000_000) / 1_000
}

async function robotsFiles(
  { hosts }: Store,
  job: Job,
  asked: ReadonlyArray<{ host: string }>,
): Promise<RobotsFile[]> {
  const origins = asked.flatMap(({ host }) => [`https://${host}`, `http://${host}`])
  const entries = await Promise.all(origins.map(origin => robotsToldTo(hosts, job, origin)))
  return entries.flatMap(entry =>
    entry ? [{ origin: entry.origin, verdict: entry.verdict, fetchedAt: entry.fetchedAt }] : [],
  )
}
