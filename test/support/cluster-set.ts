// Runs a suite that was written for one process on PostgreSQL, Redis and S3, without changes to the suite.
import { createHash } from 'node:crypto'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import pg from 'pg'
import { migratePostgres } from '../../src/adapters/postgres/open.ts'
import type { Loaded } from '../../src/config/load.ts'
import { type SettingsInput, settingsSchema } from '../../src/config/settings.ts'
import { Emitter } from '../../src/lib/emitter.ts'
import { noTraces } from '../../src/lib/traces/no-traces.ts'
import { openClusterEngine } from '../../src/roles/cluster/cluster-engine.ts'
import type { RoleParts } from '../../src/roles/cluster/role.ts'
import { roles } from '../../src/roles/cluster/roles.ts'
import { loadScrapers } from '../../src/roles/scrapers/scraper-files.ts'
import { openService, type Service, type ServiceOptions } from '../../src/roles/service/service.ts'

/** The addresses of the services, set by test/support/suites-on-cluster.ts. */
interface ClusterSet {
  postgresUrl: string
  redisUrl: string
  s3Url: string
}

export const clusterSet = (): ClusterSet | null =>
  process.env.TEST_CLUSTER === undefined ? null : (JSON.parse(process.env.TEST_CLUSTER) as ClusterSet)

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }

/** Each data directory has its own schema, bucket and Redis keys. A data directory that is opened again finds its data. */
export async function onCluster(set: ClusterSet, settings: SettingsInput): Promise<Loaded['settings']> {
  const name = `t${createHash('sha256').update(String(settings.dataDir)).digest('hex').slice(0, 16)}`
  const databaseUrl = `${set.postgresUrl}?options=-csearch_path%3D${name}`
  await makeSchema(set.postgresUrl, name)
  await migratePostgres(databaseUrl)
  await makeBucket(set.s3Url, name)
  return settingsSchema.parse({
    ...settings,
    ...{ databaseUrl, redisUrl: set.redisUrl, redisPrefix: `${name}:`, sweepMs: 100 },
    ...{ s3Endpoint: set.s3Url, s3Bucket: name },
    ...{ s3AccessKeyId: credentials.accessKeyId, s3SecretAccessKey: credentials.secretAccessKey },
  })
}

async function makeSchema(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${name}`)
  await client.end()
}

async function makeBucket(endpoint: string, Bucket: string): Promise<void> {
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  await client.send(new CreateBucketCommand({ Bucket })).catch(() => {})
  client.destroy()
}

/** Runs every role of `kscrape start all` in this process, with scrapers passed as code. */
export async function openClusterService(loaded: Loaded, options: ServiceOptions): Promise<Service> {
  await using opened = new AsyncDisposableStack()
  const { log, scrapers = [], ...more } = options
  const registry = await loadScrapers([])
  for (const scraper of scrapers) registry.add(scraper)
  const events = new Emitter()
  const parts: RoleParts = {
    ...{ ...loaded, registry, events, log },
    ...{ scraperFiles: [], emit: events.emit, mark: () => {}, traces: noTraces },
  }
  for (const name of ['coordinator', 'processor', 'ingest', 'http-worker', 'browser-worker'] as const) {
    const role = await roles[name].start(parts)
    opened.defer(() => role.stop(loaded.settings.graceMs))
  }
  const service = await openService(loaded, {
    ...{ ...more, log, serviceLoops: [] },
    engine: stop => openClusterEngine({ ...parts, events: new Emitter() }, stop),
  })
  opened.use(service)
  const all = opened.move()
  return { ...service, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
