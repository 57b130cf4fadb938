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
import type { Connection } from './connection.ts'
import { itemChanges } from './item-changes.ts'
import { givenLabels, serviceTables } from './service-tables.ts'
import { sqliteWords } from './table-words.ts'

/** Design notes, measured by `bench/store.ts`:
 *  - Repeated words (hosts, reasons, owners, workers, blob keys) are numbers that refer to `names`.
 *  - Task rows are dense and in number order. The usual path pending → leased → succeeded does not make a row longer, so pages
 *  never split: states and reasons have one byte from the start, and leases are in another table.
 *  - `seen` contains every identity of a job: 0 names of tasks (with aliases), 1 canonical URLs, 2 content hashes. */
const engine = `
  CREATE TABLE jobs (
    job_no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    resume_at INTEGER,
    ingest TEXT NOT NULL,
    next_n INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
  ) STRICT;
  -- Apart from the job, whose row is written often while a spec may hold 100,000 URLs.
  CREATE TABLE job_specs (job_no INTEGER PRIMARY KEY, spec TEXT NOT NULL) STRICT;
  CREATE TABLE job_counts (
    job_no INTEGER NOT NULL,
    bucket TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (job_no, bucket)
  ) STRICT, WITHOUT ROWID;
  -- Jobs that are gone for everyone, whose rows are still being removed.
  CREATE TABLE deleted_jobs (job_no INTEGER PRIMARY KEY) STRICT;

  CREATE TABLE names (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
  INSERT INTO names (id, text) VALUES (2, ''), (3, 'ok');

  CREATE TABLE tasks (
    job_no INTEGER NOT NULL,
    n INTEGER NOT NULL,
    host INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    priority REAL NOT NULL,
    state INTEGER NOT NULL DEFAULT 2,
    reason INTEGER NOT NULL DEFAULT 2,
    attempt INTEGER NOT NULL DEFAULT 0,
    charged INTEGER NOT NULL DEFAULT 0,
    deaths INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    parent INTEGER,
    duplicate_of INTEGER,
    url TEXT NOT NULL,
    input TEXT,
    item_id TEXT,
    message TEXT,
    PRIMARY KEY (job_no, n)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tasks_runnable ON tasks (job_no, host, priority, n) WHERE state = 2 AND not_before = 0;
  CREATE INDEX tasks_waiting ON tasks (not_before) WHERE state = 2 AND not_before > 0;

  CREATE TABLE leases (
    job_no INTEGER NOT NULL,
    n INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    state INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    leased_at INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    PRIMARY KEY (job_no, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE seen (
    job_no INTEGER NOT NULL,
    space INTEGER NOT NULL,
    key INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (job_no, space, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE attempts (
    job_no INTEGER NOT NULL,
    n INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    status INTEGER,
    bytes INTEGER NOT NULL,
    worker INTEGER NOT NULL,
    proxy INTEGER,
    raw_key INTEGER,
    raw_offset INTEGER,
    raw_length INTEGER,
    message TEXT,
    PRIMARY KEY (job_no, n, attempt)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_no INTEGER NOT NULL,
    n INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    status INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL,
    scraper INTEGER NOT NULL,
    final_url TEXT NOT NULL,
    data TEXT NOT NULL,
    provenance TEXT
  ) STRICT;
  CREATE UNIQUE INDEX records_of_task ON records (job_no, n, idx);
  CREATE INDEX records_of_job ON records (job_no, seq);

  ${engineTables(sqliteWords)}
`

/** Fetch modes of pages. SQLite stores 0 and 1 without a byte, and the text column is set only for browser pages. */
const ways = `
  ALTER TABLE tasks ADD COLUMN way INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE tasks ADD COLUMN way_why TEXT;
  ALTER TABLE attempts ADD COLUMN way INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempts ADD COLUMN artifacts TEXT;
  ALTER TABLE records ADD COLUMN way TEXT;
`

/** Request counts per host, for conduct receipts. They are counted incrementally, because summing a million attempts takes
 *  seconds. */
const hostPaces = `
  CREATE TABLE host_paces (
    job_no INTEGER NOT NULL,
    host INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (job_no, host)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO host_paces
    SELECT a.job_no, t.host, count(*), min(a.started_at), max(a.started_at)
    FROM attempts a JOIN tasks t ON t.job_no = a.job_no AND t.n = a.n
    WHERE a.outcome NOT IN (SELECT id FROM names WHERE text IN (${unaskedList}))
    GROUP BY a.job_no, t.host;
  ALTER TABLE attempts ADD COLUMN read_ms INTEGER;
  ALTER TABLE attempts ADD COLUMN store_ms INTEGER;
`

const migrations: readonly string[] = [
  engine,
  answerTables(sqliteWords),
  ways,
  serviceTables,
  queuedRuns,
  taskPolicies,
  sinkTables(sqliteWords),
  hostPaces,
  jobTraces,
  keyWorkspaces,
  itemChanges,
  activityTables,
  givenLabels,
]

const versionOf = (connection: Connection): number =>
  connection.one<{ user_version: number }>('PRAGMA user_version')!.user_version

/** Migrates the file. Idempotent. Several processes may run this at the same time. After a kill, the next call continues. */
export function migrate(connection: Connection): void {
  refuseNewer(connection)
  while (versionOf(connection) < migrations.length) connection.write(() => applyNext(connection))
}

// Checks the version again in the transaction, because another process may have migrated meanwhile.
function applyNext(connection: Connection): void {
  const version = versionOf(connection)
  const script = migrations[version]
  if (script) connection.exec(`${script}; PRAGMA user_version = ${version + 1}`)
}

/** Throws unless the schema is current. For a read-only store, which cannot be migrated. */
export function requireCurrent(connection: Connection): void {
  refuseNewer(connection)
  if (versionOf(connection) === migrations.length) return
  throw new Failure(
    'storage.failed',
    `The store ${connection.path} was made by an older version of kscrape and is open for reading only: run any job in it once to bring it up to date`,
    { path: connection.path },
  )
}

export function refuseNewer(connection: Connection): void {
  const version = versionOf(connection)
  if (version <= migrations.length) return
  throw new Failure(
    'storage.failed',
    `The store ${connection.path} has schema version ${version}, but this kscrape knows only versions up to ${migrations.length}: use the newer kscrape, or another --data-dir`,
    { path: connection.path, version, known: migrations.length },
  )
}
