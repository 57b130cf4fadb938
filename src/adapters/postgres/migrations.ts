// The schema as a numbered list of migrations. A published migration is never edited; new ones are appended.
import { Failure } from '../../model/failures.ts'
import { unaskedList } from '../pace-counter.ts'
import {
  answerTables,
  engineTables,
  jobTraces,
  keyWorkspaces,
  queuedRuns,
  sinkTables,
  taskPolicies,
} from '../sql/tables.ts'
import { activityTables } from './activity.ts'
import { imports, leaderShards } from './cluster-tables.ts'
import type { Database, Queries } from './database.ts'
import { itemChanges } from './item-changes.ts'
import { jobsViewOfGivenLabels, reportingViews } from './reporting-views.ts'
import { givenLabels, serviceTables } from './service-tables.ts'
import { postgresWords } from './table-words.ts'
import { guardOfJob, workspaceGuard } from './workspace-guard.ts'

/** Design notes:
 *  - States are words, so they are readable in psql.
 *  - Frequent queries have partial indexes, so a job with ten million finished tasks is as fast as a small one.
 *  - The lease is in the task's row, so a claim and a settlement write one row version each.
 *  - `seen` contains every identity of a job: 0 names of tasks (with aliases), 1 canonical URLs, 2 content hashes.
 *  - Every change to a job's data locks the job's row (`FOR UPDATE`). So numbers are unique, identities have one owner, and
 *  records become visible in `seq` order. */
const engine = `
  CREATE TABLE jobs (
    job_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    kind text NOT NULL,
    state text NOT NULL,
    reason text,
    resume_at bigint,
    ingest text NOT NULL,
    spec text NOT NULL,
    next_n bigint NOT NULL DEFAULT 1,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint
  );
  CREATE INDEX jobs_by_state ON jobs (state, job_no);
  CREATE TABLE job_counts (
    job_no bigint NOT NULL,
    bucket text NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (job_no, bucket)
  ) WITH (fillfactor = 50);
  -- Jobs that are gone for everyone, whose rows are still being removed.
  CREATE TABLE deleted_jobs (job_no bigint PRIMARY KEY);

  CREATE TABLE tasks (
    job_no bigint NOT NULL,
    n bigint NOT NULL,
    host text NOT NULL,
    kind text NOT NULL,
    depth integer NOT NULL,
    priority float8 NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    reason text,
    attempt integer NOT NULL DEFAULT 0,
    charged integer NOT NULL DEFAULT 0,
    deaths integer NOT NULL DEFAULT 0,
    not_before bigint NOT NULL DEFAULT 0,
    parent bigint,
    duplicate_of bigint,
    url text NOT NULL,
    input text,
    item_id text,
    message text,
    way text NOT NULL DEFAULT 'http',
    way_why text,
    owner text,
    leased_at bigint,
    lease_until bigint,
    PRIMARY KEY (job_no, n)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX tasks_runnable ON tasks (job_no, host, priority, n) WHERE state = 'pending' AND not_before = 0;
  CREATE INDEX tasks_waiting ON tasks (not_before) WHERE state = 'pending' AND not_before > 0;
  CREATE INDEX tasks_held ON tasks (lease_until) WHERE owner IS NOT NULL;
  CREATE INDEX tasks_held_by ON tasks (owner) WHERE owner IS NOT NULL;

  CREATE TABLE seen (
    job_no bigint NOT NULL,
    space smallint NOT NULL,
    key bigint NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (job_no, space, key)
  );

  CREATE TABLE attempts (
    job_no bigint NOT NULL,
    n bigint NOT NULL,
    attempt integer NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    outcome text NOT NULL,
    status integer,
    bytes bigint NOT NULL,
    worker text NOT NULL,
    proxy text,
    raw_key text,
    raw_offset bigint,
    raw_length bigint,
    message text,
    way text NOT NULL,
    artifacts text,
    PRIMARY KEY (job_no, n, attempt)
  );

  CREATE TABLE records (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_no bigint NOT NULL,
    n bigint NOT NULL,
    idx integer NOT NULL,
    status integer NOT NULL,
    fetched_at bigint NOT NULL,
    scraper text NOT NULL,
    final_url text NOT NULL,
    data text NOT NULL,
    provenance text,
    way text
  );
  CREATE UNIQUE INDEX records_of_task ON records (job_no, n, idx);
  CREATE INDEX records_of_job ON records (job_no, seq);

  ${engineTables(postgresWords)}
  ${answerTables(postgresWords)}
`

/** Leaders of shards. The token grows with every change of leader and fences older leaders. */
const leaders = `
  CREATE TABLE leaders (name text PRIMARY KEY, token bigint NOT NULL);
  CREATE INDEX tasks_rendered ON tasks (job_no) WHERE way = 'browser' AND state IN ('pending', 'queued', 'in_progress');
`

/** Request counts per host, for conduct receipts. They are counted incrementally, because summing a million attempts takes
 *  seconds. */
const hostPaces = `
  CREATE TABLE host_paces (
    job_no bigint NOT NULL,
    host text COLLATE "C" NOT NULL,
    requests bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (job_no, host)
  ) WITH (fillfactor = 50);
  INSERT INTO host_paces
    SELECT a.job_no, t.host, count(*), min(a.started_at), max(a.started_at)
    FROM attempts a JOIN tasks t ON t.job_no = a.job_no AND t.n = a.n
    WHERE a.outcome NOT IN (${unaskedList}) GROUP BY a.job_no, t.host;
  ALTER TABLE attempts ADD COLUMN read_ms integer;
  ALTER TABLE attempts ADD COLUMN store_ms integer;
  ${guardOfJob('host_paces')}
`

const migrations: readonly string[] = [
  engine,
  serviceTables,
  queuedRuns,
  leaders,
  taskPolicies,
  imports,
  leaderShards,
  sinkTables(postgresWords),
  workspaceGuard,
  hostPaces,
  jobTraces,
  reportingViews,
  keyWorkspaces,
  itemChanges,
  activityTables,
  givenLabels + jobsViewOfGivenLabels,
]

/** An arbitrary number of an advisory lock: one process migrates, the others wait. */
const lockNumber = 7_151_962

/** Migrates the schema. Idempotent. Several processes may run this at the same time, even while the previous version of the
 *  program runs. After a kill, the next call continues. */
export async function migrate(
  database: Database,
  mark: (point: string) => void = () => {},
): Promise<{ from: number; to: number }> {
  const from = await versionOf(database)
  refuseNewer(from)
  for (let at = from; at < migrations.length; at += 1)
    await database.transaction(queries => applyNext(queries, mark))
  return { from, to: migrations.length }
}

// Checks the version again under the lock, because another process may have migrated meanwhile.
async function applyNext(queries: Queries, mark: (point: string) => void): Promise<void> {
  await queries.one('SELECT pg_advisory_xact_lock($1)', lockNumber)
  await queries.run('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)')
  const known = await queries.one<{ version: number }>('SELECT version FROM schema_version')
  const version = known?.version ?? 0
  const script = migrations[version]
  if (!script) return
  await queries.script(script)
  mark('migrate.mid')
  await queries.run('DELETE FROM schema_version')
  await queries.run('INSERT INTO schema_version (version) VALUES ($1)', version + 1)
}

async function versionOf(database: Database): Promise<number> {
  const table = await database.one<{ name: string | null }>(
    `SELECT to_regclass('schema_version')::text AS name`,
  )
  if (!table?.name) return 0
  return (await database.one<{ version: number }>('SELECT version FROM schema_version'))?.version ?? 0
}

/** Throws unless the schema is up to date. Changes nothing. */
export async function requireCurrent(database: Database): Promise<void> {
  const version = await versionOf(database)
  refuseNewer(version)
  if (version >= migrations.length) return
  throw new Failure(
    'storage.failed',
    `The database has schema version ${version}, but this kscrape needs version ${migrations.length}: run \`kscrape migrate\``,
    { version, needed: migrations.length },
  )
}

function refuseNewer(version: number): void {
  // During a rolling upgrade the schema may be one version ahead. Migrations only add to the schema, so the older program still
  // works.
  if (version <= migrations.length + 1) return
  throw new Failure(
    'storage.failed',
    `The database has schema version ${version}, but this kscrape knows only versions up to ${migrations.length}: use the newer kscrape`,
    { version, known: migrations.length },
  )
}
