// robots.txt of an origin is fetched by one worker at a time. The worker stores the answer, so that any later leader finds it.
import { robotsVerdict } from '../../dispatch/robots/index.ts'
import type { RobotsEntry } from '../../model/host.ts'
import type { RobotsReport } from '../../model/lane.ts'
import { isUsable } from '../../pipeline/coordinate/robots-gate.ts'
import { longestRobotsMs } from '../../pipeline/work/fetch-robots.ts'
import type { Clock } from '../../ports/clock.ts'
import type { UnderLock } from '../../ports/locks.ts'
import type { HostStore } from '../../ports/store.ts'

/** How long to wait for another worker. With the fetch that may follow it stays below the longest answer of a call. */
const longestWaitMs = longestRobotsMs / 5

interface RobotsOnceParts {
  hosts: Pick<HostStore, 'robots' | 'keepRobots'>
  underLock: UnderLock
  clock: Clock
}

/** `key`: under which the store has the file; see `robotsKey`. */
export type AskRobotsOnce = (key: string, fetch: () => Promise<RobotsReport>) => Promise<RobotsReport>

/** A leader may die or lose its shard while a worker fetches robots.txt for it. The next leader may ask another worker for
 *  the same origin. That worker waits for the first response and returns it. */
export const robotsOnce =
  ({ hosts, underLock, clock }: RobotsOnceParts): AskRobotsOnce =>
  (key, fetch) =>
    underLock(
      `robots ${key}`,
      async () => {
        const found = await hosts.robots(key).catch(() => null)
        if (found && isUsable(found, clock.now())) return foundReport(found, clock.now())
        const report = await fetch()
        // Without a status the site did not respond: the next leader tries again.
        if (report.status === null) return report
        return kept(hosts, report, {
          ...robotsVerdict(report, found, clock.now()),
          origin: key,
        })
      },
      { waitMs: longestWaitMs },
    )

/** If the store is down, the leader writes the response later. */
async function kept(
  hosts: RobotsOnceParts['hosts'],
  report: RobotsReport,
  entry: RobotsEntry,
): Promise<RobotsReport> {
  const isKept = await hosts.keepRobots(entry).then(
    () => true,
    () => false,
  )
  return isKept ? { ...report, body: '', kept: entry } : report
}

const foundReport = (found: RobotsEntry, now: number): RobotsReport => ({
  ...{ origin: found.origin, status: found.status, body: '', maxAgeMs: null, failure: null },
  ...{ startedAt: now, sentAt: now, endedAt: now },
  kept: found,
})
