// Opens the services of a cluster from the settings: PostgreSQL, Redis and S3. An error names the missing setting.
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { openPostgresStore, type PostgresOptions } from '../../adapters/postgres/open.ts'
import { openRedisBus } from '../../adapters/redis/bus.ts'
import { openRedisCalls } from '../../adapters/redis/calls.ts'
import type { ConnectOptions } from '../../adapters/redis/connection.ts'
import { openRedisQueue } from '../../adapters/redis/queue.ts'
import { openStreamContents } from '../../adapters/redis/streams.ts'
import { openS3Blobs } from '../../adapters/s3/blobs.ts'
import { withFlatKeys } from '../../adapters/s3/flat-keys.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { StreamName } from '../../model/cluster-messages.ts'
import { Failure } from '../../model/failures.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Store } from '../../ports/store.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import type { DataDirectory } from '../data-directory.ts'

const names = {
  databaseUrl: 'DATABASE_URL',
  redisUrl: 'REDIS_URL',
  s3Bucket: 'S3_BUCKET',
} as const

/** Returns a setting that a cluster requires; throws if it is missing. */
export function needed(settings: Settings, name: keyof typeof names): string {
  const value = settings[name]
  if (value !== undefined) return value
  throw new Failure(
    'input.invalid',
    `${names[name]} is not set: a cluster needs DATABASE_URL, REDIS_URL and S3_BUCKET (docs/scaling.md); \`kscrape serve\` needs none of them`,
    { name: names[name] },
  )
}

/** Opens the store. With `guard`, the database enforces the leader's fencing token. With `workspace`, it separates workspaces. */
export const openStore = (
  settings: Settings,
  kept: Pick<PostgresOptions, 'guard' | 'workspace'> = {},
): Promise<Store> => openPostgresStore({ url: needed(settings, 'databaseUrl'), clock: systemClock, ...kept })

export async function openBlobs(settings: Settings): Promise<Blobs> {
  const blobs = await openBucket(settings)
  return settings.s3Keys === 'seed' ? withFlatKeys(blobs) : blobs
}

function openBucket(settings: Settings): Promise<Blobs> {
  const { s3Endpoint, s3PublicEndpoint, s3Region, s3AccessKeyId, s3SecretAccessKey, s3PathStyle } = settings
  const credentials =
    s3AccessKeyId && s3SecretAccessKey
      ? { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey }
      : null
  return openS3Blobs({
    endpoint: s3Endpoint ?? null,
    publicEndpoint: s3PublicEndpoint ?? null,
    region: s3Region,
    bucket: needed(settings, 's3Bucket'),
    credentials,
    pathStyle: s3PathStyle === 'auto' ? s3Endpoint !== undefined : s3PathStyle,
  })
}

export const openQueue = <Message>(
  settings: Settings,
  stream: StreamName,
  consumer: string,
): Promise<Queue<Message>> =>
  openRedisQueue<Message>({
    url: needed(settings, 'redisUrl'),
    stream: settings.redisPrefix + stream,
    consumer,
    leaseMs: settings.leaseMs,
  })

/** Opens calls between processes. With `mayBeAway`, a process starts even if Redis is down. */
export const openCalls = (settings: Settings, options: ConnectOptions = {}): Promise<Calls> =>
  openRedisCalls({ url: needed(settings, 'redisUrl'), prefix: settings.redisPrefix, ...options })

export const openBus = (settings: Settings, options: ConnectOptions = {}): Promise<Bus> =>
  openRedisBus({ url: needed(settings, 'redisUrl'), prefix: settings.redisPrefix, ...options })

export const openStreams = (settings: Settings, options: ConnectOptions = {}): Promise<StreamContents> =>
  openStreamContents({ url: needed(settings, 'redisUrl'), prefix: settings.redisPrefix, ...options })

let processes = 0

/** A process name that is unique among running processes and readable in logs. */
export const processName = (role: string): string =>
  `${role}-${hostname()
    .replace(/[^A-Za-z0-9]/g, '-')
    .slice(0, 40)}-${process.pid}-${++processes}`

/** The store and the blobs of the cluster as a data directory. All other files in its folder are local to this process and may
 *  be lost. */
export const asDataDirectory = (settings: Settings, store: Store, blobs: Blobs): DataDirectory => {
  const path = resolve(settings.dataDir)
  return {
    ...{ path, store, blobs },
    blobsRoot: `${path}/blobs`,
    inputs: `${path}/inputs`,
    [Symbol.asyncDispose]: async () => {},
  }
}
