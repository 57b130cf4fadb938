// Tables that both stores have, as parts of their migrations. A published part is never edited.

/** The types of columns, and the ends of table definitions. */
export interface TableWords {
  /** A whole number of 64 bits. */
  int: string
  /** A whole number of 32 bits. */
  short: string
  flag: string
  /** A primary key that counts up. */
  counted: string
  /** A text column that is sorted by bytes. */
  name: string
  /** The end of a CREATE TABLE statement, if SQLite stores the rows in the order of the primary key. */
  byKey: string
  /** The end of any other CREATE TABLE statement. */
  end: string
}

export const engineTables = ({ int, short, flag, counted, name, byKey, end }: TableWords): string => `
  CREATE TABLE rejected (
    job_no ${int} NOT NULL,
    row ${int} NOT NULL,
    text TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (job_no, row)
  ) ${byKey};

  CREATE TABLE outputs (
    job_no ${int} NOT NULL,
    path TEXT NOT NULL,
    format TEXT NOT NULL,
    seq ${int} NOT NULL,
    bytes ${int} NOT NULL,
    done ${flag} NOT NULL,
    PRIMARY KEY (job_no, path)
  ) ${byKey};

  CREATE TABLE requests (
    id ${counted},
    job_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at ${int} NOT NULL
  ) ${end};

  CREATE TABLE host_states (host ${name} PRIMARY KEY, state TEXT NOT NULL) ${byKey};

  CREATE TABLE robots (
    origin TEXT PRIMARY KEY,
    fetched_at ${int} NOT NULL,
    expires_at ${int} NOT NULL,
    verdict TEXT NOT NULL,
    status ${short},
    body TEXT NOT NULL,
    failures ${short} NOT NULL
  ) ${end};
`

/** Cached responses. A cached response refers to the records of a task. If these records change or are deleted, the cached
 *  response is deleted too. */
export const answerTables = ({ int, byKey, end }: TableWords): string => `
  CREATE TABLE answers (
    key TEXT PRIMARY KEY,
    job_no ${int} NOT NULL,
    n ${int} NOT NULL,
    checked_at ${int} NOT NULL,
    etag TEXT,
    last_modified TEXT,
    body_key TEXT
  ) ${byKey};
  CREATE INDEX answers_of_task ON answers (job_no, n);
  CREATE INDEX answers_by_age ON answers (checked_at);

  CREATE TABLE reextractions (
    job_no ${int} PRIMARY KEY,
    maker TEXT NOT NULL,
    after ${int} NOT NULL,
    done TEXT NOT NULL
  ) ${end};
`

/** Tables of the service: keys, webhooks, schedules, uploads, conduct. */
export const serviceTables = ({ int, short, flag, counted, name, byKey, end }: TableWords): string => `
  ALTER TABLE jobs ADD COLUMN workspace TEXT NOT NULL DEFAULT 'default';
  ALTER TABLE jobs ADD COLUMN face TEXT NOT NULL DEFAULT 'cli';
  ALTER TABLE jobs ADD COLUMN key_id TEXT;
  ALTER TABLE jobs ADD COLUMN schedule_id TEXT;
  CREATE INDEX jobs_of_workspace ON jobs (workspace, job_no);
  CREATE INDEX jobs_of_schedule ON jobs (schedule_id, job_no) WHERE schedule_id IS NOT NULL;

  CREATE TABLE idempotency_keys (
    workspace TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    job_no ${int} NOT NULL,
    PRIMARY KEY (workspace, key)
  ) ${byKey};
  CREATE INDEX idempotency_keys_of_job ON idempotency_keys (job_no);

  CREATE TABLE api_keys (
    no ${counted},
    id TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    scopes TEXT NOT NULL,
    limits TEXT NOT NULL,
    created_at ${int} NOT NULL,
    revoked_at ${int}
  ) ${end};

  CREATE TABLE webhooks (
    no ${counted},
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    job_id TEXT NOT NULL,
    event TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts ${short} NOT NULL DEFAULT 0,
    next_at ${int},
    created_at ${int} NOT NULL,
    body TEXT
  ) ${end};
  CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX webhooks_of_job ON webhooks (job_id);
  CREATE TABLE webhook_attempts (
    webhook_no ${int} NOT NULL,
    attempt ${short} NOT NULL,
    at ${int} NOT NULL,
    duration_ms ${int} NOT NULL,
    status ${short},
    error TEXT,
    PRIMARY KEY (webhook_no, attempt)
  ) ${byKey};

  CREATE TABLE schedules (
    no ${counted},
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    cron TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    job TEXT NOT NULL,
    overlap TEXT NOT NULL,
    jitter_ms ${int} NOT NULL,
    paused ${flag} NOT NULL,
    key_id TEXT,
    created_at ${int} NOT NULL,
    next_tick ${int},
    next_at ${int}
  ) ${end};
  CREATE TABLE schedule_runs (
    schedule_id TEXT NOT NULL,
    tick ${int} NOT NULL,
    at ${int} NOT NULL,
    outcome TEXT NOT NULL,
    job_id TEXT,
    reason TEXT,
    catch_up ${flag} NOT NULL,
    PRIMARY KEY (schedule_id, tick)
  ) ${byKey};

  CREATE TABLE uploads (
    no ${counted},
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    file_name TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    key_id TEXT,
    created_at ${int} NOT NULL,
    expires_at ${int} NOT NULL,
    completed_at ${int},
    bytes ${int} NOT NULL DEFAULT 0
  ) ${end};

  CREATE TABLE conduct_notes (
    no ${counted},
    job_no ${int} NOT NULL,
    what TEXT NOT NULL,
    value TEXT NOT NULL,
    who TEXT NOT NULL,
    at ${int} NOT NULL
  ) ${end};
  CREATE INDEX conduct_notes_of_job ON conduct_notes (job_no, no);
  CREATE TABLE host_overrides (
    host ${name} PRIMARY KEY,
    policy TEXT,
    paused_until ${int} NOT NULL,
    pause_reason TEXT,
    by TEXT NOT NULL,
    at ${int} NOT NULL
  ) ${byKey};
  CREATE TABLE host_listings (
    no ${counted},
    id TEXT NOT NULL UNIQUE,
    list TEXT NOT NULL,
    pattern TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    contact TEXT,
    token TEXT,
    created_at ${int} NOT NULL,
    decided_at ${int},
    decided_by TEXT
  ) ${end};

  CREATE TABLE search_state (only_row ${short} PRIMARY KEY CHECK (only_row = 1), seq ${int} NOT NULL) ${end};
  INSERT INTO search_state (only_row, seq) VALUES (1, 0);
`

/** Index for queued runs: they are few among all runs, and queried every second. */
export const queuedRuns = `
  CREATE INDEX schedule_runs_queued ON schedule_runs (tick) WHERE outcome = 'queued';
`

/** Policies of single tasks. SQLite stores a null without a byte. */
export const taskPolicies = `
  ALTER TABLE tasks ADD COLUMN policy TEXT;
`

export const sinkTables = ({ int, counted }: TableWords): string => `
  CREATE TABLE sinks (name TEXT PRIMARY KEY, seq ${int} NOT NULL);
  CREATE TABLE dead_letters (
    place ${counted},
    sink TEXT NOT NULL,
    job_id TEXT NOT NULL,
    n ${int} NOT NULL,
    idx ${int} NOT NULL,
    seq ${int} NOT NULL,
    reason TEXT NOT NULL,
    at ${int} NOT NULL
  );
  CREATE INDEX dead_letters_of_sink ON dead_letters (sink, place);
`

/** The trace that a job belongs to. */
export const jobTraces = `
  ALTER TABLE jobs ADD COLUMN traceparent TEXT;
`

/** Other workspaces that a key may act for. */
export const keyWorkspaces = `
  ALTER TABLE api_keys ADD COLUMN workspaces TEXT NOT NULL DEFAULT '[]';
`

/** Changes of job items, for the item mirror. */
export const itemChangeTable = ({ int, counted, end }: TableWords): string => `
  CREATE TABLE item_changes (
    seq ${counted},
    job_no ${int} NOT NULL,
    n ${int} NOT NULL
  ) ${end};
`
