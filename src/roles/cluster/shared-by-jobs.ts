// State that all processes share: named sessions, tokens of language models, DNS answers and robots.txt fetches.
import { openRedisLocks } from '../../adapters/redis/locks.ts'
import type { Settings } from '../../config/settings.ts'
import type { Budget } from '../../extract/llm/token-budget.ts'
import type { Resolver } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { storeBudget } from '../../pipeline/work/store-budget.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import type { Sessions } from '../sessions.ts'
import { openBlobSessions } from './blob-sessions.ts'
import { type AskRobotsOnce, robotsOnce } from './robots-once.ts'
import { needed } from './services.ts'
import { openCache, sharedResolver, withCachedRobots } from './shared-caches.ts'
import { clusterSealer } from './shared-keys.ts'

interface SharedByJobs {
  sessions: Sessions
  budgetOf: (jobId: string, limit: number) => Budget
  resolve: Resolver
  askRobotsOnce: AskRobotsOnce
}

export async function openShared(
  opened: AsyncDisposableStack,
  settings: Settings,
  { store, blobs }: { store: Store; blobs: Blobs },
): Promise<SharedByJobs> {
  const url = needed(settings, 'redisUrl')
  const { underLock } = opened.use(await openRedisLocks({ url, prefix: settings.redisPrefix }))
  const cache = opened.use(await openCache(settings))
  return {
    resolve: sharedResolver(cache),
    askRobotsOnce: robotsOnce({
      hosts: withCachedRobots(store.hosts, cache, () => systemClock.now()),
      ...{ underLock, clock: systemClock },
    }),
    sessions: openBlobSessions({ blobs, underLock, sealer: clusterSealer(settings) }),
    budgetOf: (jobId, limit) => storeBudget(store, jobId, limit),
  }
}
