// The conduct receipt of a job: who it said it was, what it was allowed, how fast it asked whom, and what it left alone.
import type { ConductNote } from '../../model/conduct.ts'
import type { RobotsEntry } from '../../model/host.ts'
import type { Job } from '../../model/job.ts'
import { browserKindOf, renderModeOf } from '../../model/policy/render-mode.ts'
import type { Store } from '../../ports/store.ts'
import { robotsToldTo } from '../coordinate/robots-reader.ts'

export interface ConductReceipt {
  jobId: string
  userAgent: string | null
  robots: {
    /** What the job said; null left it to the policy of each host. */
    policy: 'obey' | 'ignore' | null
    /** Pages that were not asked for because robots.txt says so. */
    disallowed: number
    /** Pages that were given up because robots.txt could not be had. */
    unreachable: number
    files: RobotsFile[]
  }
  browser: { mode: string; stealth: boolean; pages: number }
  personalData: 'keep' | 'mask' | 'drop'
  consents: ConductNote[]
  /** Tasks that ended because their host wants to be left alone. */
  denied: number
  /** Times that a host asked us to slow down and a task was given up over it. */
  throttled: number
  hosts: HostConduct[]
  /** Hosts beyond those that are listed. */
  moreHosts: boolean
}

interface HostConduct {
  host: string
  requests: number
  firstAt: number
  lastAt: number
  /** Requests per second from the first to the last; null where there was only one. */
  achievedRate: number | null
}

export interface RobotsFile {
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

/** Between the first start and the last lie one fewer distances than there are starts. */
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
