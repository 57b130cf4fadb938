// What workers and processors open: the services of the cluster, and the state that they share through them, such as named
// sessions, tokens of language models, DNS answers and robots.txt fetches.
import { openRedisLocks } from '../../../adapters/redis/locks.ts'
import type { Budget } from '../../../extract/llm/token-budget.ts'
import type { Resolver } from '../../../fetch/http/index.ts'
import { systemClock } from '../../../lib/clocks.ts'
import { storeBudget } from '../../../pipeline/work/store-budget.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Calls } from '../../../ports/calls.ts'
import type { StreamContents } from '../../../ports/stream-contents.ts'
import type { DataDirectory } from '../../data-directory.ts'
import type { Sessions } from '../../sessions.ts'
import type { RoleParts } from '../role.ts'
import {
  asDataDirectory,
  needed,
  openBlobs,
  openCalls,
  openStore,
  openStreams,
  processName,
} from '../services.ts'
import type { SettlingParts } from '../settling.ts'
import { openBlobSessions } from './blob-sessions.ts'
import { KnownJobs } from './known-jobs.ts'
import { type AskRobotsOnce, robotsOnce } from './robots-once.ts'
import { openCache, sharedResolver, withCachedRobots } from './shared-caches.ts'
import { clusterSealer } from './shared-keys.ts'

interface TaskServices {
  /** The name of this process. */
  name: string
  data: DataDirectory
  blobs: Blobs
  calls: Calls
  presence: StreamContents
  /** The jobs whose tasks this process has received. */
  jobs: KnownJobs
  settling: SettlingParts
  /** What a lane needs from the other processes. */
  shared: { sessions: Sessions; budgetOf: (jobId: string, limit: number) => Budget; resolve: Resolver }
  askRobotsOnce: AskRobotsOnce
}

export async function openTaskServices(
  opened: AsyncDisposableStack,
  { settings, emit, mark }: RoleParts,
  role: string,
): Promise<TaskServices> {
  const url = needed(settings, 'redisUrl')
  const name = processName(role)
  const store = opened.use(await openStore(settings))
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings))
  const presence = opened.use(await openStreams(settings))
  const { underLock } = opened.use(await openRedisLocks({ url, prefix: settings.redisPrefix }))
  const cache = opened.use(await openCache(settings))
  const hosts = withCachedRobots(store.hosts, cache, () => systemClock.now())
  const sessions = openBlobSessions({ blobs, underLock, sealer: clusterSealer(settings) })
  return {
    ...{ name, blobs, calls, presence },
    data: asDataDirectory(settings, store, blobs),
    jobs: new KnownJobs(store, settings, sessions),
    settling: { store, blobs, calls, name, emit, mark, clock: systemClock, shards: settings.shards },
    shared: {
      sessions,
      budgetOf: (jobId, limit) => storeBudget(store, jobId, limit),
      resolve: sharedResolver(cache),
    },
    askRobotsOnce: robotsOnce({ hosts, underLock, clock: systemClock }),
  }
}
