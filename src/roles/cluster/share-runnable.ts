// Shares counts of runnable tasks between leaders, so that every leading coordinator can report the sum of all shards.
import { openPostgresBacklog } from '../../adapters/postgres/backlog.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { runnableAheadMs } from '../../pipeline/coordinate/runnable-work.ts'
import type { ClusterEvent } from './messages.ts'
import { needed, openCalls } from './services.ts'
import type { ShardShares } from './shard-shares.ts'

const everyMs = 10_000

/** Sends the counts of this process to the other leaders, and receives their counts. Needed only if there are several shards.
 *  Reconnects when Redis is available again. */
export async function shareRunnable(
  settings: Settings,
  shares: ShardShares,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await shareAndListen(settings, shares, signal).catch(() => {})
    await systemClock.sleep(everyMs, signal).catch(() => {})
  }
}

async function shareAndListen(settings: Settings, shares: ShardShares, signal: AbortSignal): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const calls = opened.use(await openCalls(settings))
  const backlog = opened.use(await openPostgresBacklog(needed(settings, 'databaseUrl')))
  const hear = ({ runnable }: ClusterEvent) => runnable && shares.heardRunnable(runnable.shard, runnable.work)
  opened.defer(await calls.listen(hear))
  while (!signal.aborted) {
    const stored = await backlog.soon(systemClock.now() + runnableAheadMs)
    for (const runnable of shares.ownRunnable(stored))
      await calls.announce({ runnable } satisfies ClusterEvent)
    await systemClock.sleep(everyMs, signal).catch(() => {})
  }
}
