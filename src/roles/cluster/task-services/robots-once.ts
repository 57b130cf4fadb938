// Only one worker at a time fetches the robots.txt of an origin. That worker stores the result, so that any later
// leader finds it.
import { robotsVerdict } from '../../../dispatch/robots/index.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import type { RobotsReport } from '../../../model/lane.ts'
import { isUsable } from '../../../pipeline/coordinate/hosts/robots-gate.ts'
import { longestRobotsMs } from '../../../pipeline/work/fetch-robots.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { UnderLock } from '../../../ports/locks.ts'
import type { HostStore } from '../../../ports/store.ts'

/** How long a worker waits for another worker's fetch. It is short enough that the wait and a fetch by this worker fit
 *  into the timeout of the leader's call. */
const longestWaitMs = longestRobotsMs / 5

interface RobotsOnceParts {
  hosts: Pick<HostStore, 'robots' | 'keepRobots'>
  underLock: UnderLock
  clock: Clock
}

/** `key`: the store key of the robots.txt file; see `robotsKey`. */
export type AskRobotsOnce = (key: string, fetch: () => Promise<RobotsReport>) => Promise<RobotsReport>

/** A leader may die or lose its shard while a worker fetches robots.txt for it. Then the next leader may ask another worker
 *  for the same origin. That worker waits for the first response and returns it. */
export const robotsOnce =
  ({ hosts, underLock, clock }: RobotsOnceParts): AskRobotsOnce =>
  (key, fetch) =>
    underLock(
      `robots ${key}`,
      async () => {
        const found = await hosts.robots(key).catch(() => null)
        if (found && isUsable(found, clock.now())) return foundReport(found, clock.now())
        const report = await fetch()
        // Without a status the site did not respond. The result is not stored, so the next leader tries again.
        if (report.status === null) return report
        return kept(hosts, report, {
          ...robotsVerdict(report, found, clock.now()),
          origin: key,
        })
      },
      { waitMs: longestWaitMs },
    )

/** Stores the result and returns the report. If the store is down, the leader stores the result later. */
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
