// The rate of a job that another process runs, computed from the store.

import { HostTable, type KnownHostPolicy } from '../../dispatch/host-table.ts'
import { askOf } from '../../dispatch/host-terms.ts'
import { type HostWork, paceOf } from '../../dispatch/job-pace.ts'
import { parseRobots, productTokenOf } from '../../dispatch/robots/index.ts'
import type { Job } from '../../model/job.ts'
import type { JobPace } from '../../model/policy/pace.ts'
import type { Store } from '../../ports/store.ts'

interface StoredPaceParts {
  store: Store
  policyFor: (host: string) => KnownHostPolicy
  userAgent: string
  now: number
}

/** How many hosts are read. The hosts with the most tasks decide the duration, so the others do not matter. */
const mostHosts = 100

/** The rate of the job. Null if no task waits. */
export async function storedPace(parts: StoredPaceParts, job: Job): Promise<JobPace | null> {
  const pending = (await parts.store.tasks.pendingHosts(job.id)).filter(({ host }) => isHost(host))
  const busiest = pending.toSorted((a, b) => b.count - a.count).slice(0, mostHosts)
  const table = new HostTable({ policyFor: parts.policyFor })
  const works: HostWork[] = []
  for (const { host, count } of busiest) {
    await meet(parts, table, host)
    works.push({ host, pages: count, ...table.paceOf(host, askOf(job.spec.policy), parts.now) })
  }
  return paceOf(works)
}

/** Whether this is a real host. Rows without a URL and listed pages of a map have a placeholder host. */
const isHost = (host: string): boolean => host !== '' && !host.startsWith('~')

async function meet({ store, userAgent }: StoredPaceParts, table: HostTable, host: string): Promise<void> {
  const state = await store.hosts.get(host)
  if (state) table.restore(state)
  for (const scheme of ['https', 'http']) {
    const robots = await store.hosts.robots(`${scheme}://${host}`)
    if (robots?.verdict !== 'parsed') continue
    table.raiseCrawlDelay(host, parseRobots(robots.body, productTokenOf(userAgent)).crawlDelayMs ?? 0)
  }
}
