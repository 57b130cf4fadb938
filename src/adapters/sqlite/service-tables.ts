// Tables of the service: keys, webhooks, schedules, uploads, conduct, search; and additional columns of jobs.

/** Design notes:
 *  - `failed_tasks` numbers failures in commit order, so paging over a running job returns each failure once. It is filled by
 *  triggers, because tasks fail in several places.
 *  - The index `record_words` stores no text. It is filled in the background; `search_state` has its position. Only deletions
 *  are applied at once. */
export const serviceTables = `
  ALTER TABLE jobs ADD COLUMN workspace TEXT NOT NULL DEFAULT 'default';
  ALTER TABLE jobs ADD COLUMN face TEXT NOT NULL DEFAULT 'cli';
  ALTER TABLE jobs ADD COLUMN key_id TEXT;
  ALTER TABLE jobs ADD COLUMN schedule_id TEXT;
  ALTER TABLE jobs ADD COLUMN labels TEXT;
  CREATE INDEX jobs_of_workspace ON jobs (workspace, job_no);
  CREATE INDEX jobs_of_schedule ON jobs (schedule_id, job_no) WHERE schedule_id IS NOT NULL;
  CREATE INDEX jobs_open ON jobs (state) WHERE state IN ('pending', 'running', 'paused', 'finishing');

  CREATE TABLE idempotency_keys (
    workspace TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    job_no INTEGER NOT NULL,
    PRIMARY KEY (workspace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_of_job ON idempotency_keys (job_no);

  CREATE TABLE failed_tasks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_no INTEGER NOT NULL,
    n INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX failed_tasks_of_job ON failed_tasks (job_no, seq);
  CREATE UNIQUE INDEX failed_tasks_once ON failed_tasks (job_no, n);
  INSERT INTO failed_tasks (job_no, n) SELECT job_no, n FROM tasks WHERE state = 6;
  CREATE TRIGGER task_failed AFTER UPDATE OF state ON tasks WHEN new.state = 6 AND old.state <> 6
  BEGIN
    INSERT INTO failed_tasks (job_no, n) VALUES (new.job_no, new.n);
  END;
  CREATE TRIGGER task_reopened AFTER UPDATE OF state ON tasks WHEN old.state = 6 AND new.state <> 6
  BEGIN
    DELETE FROM failed_tasks WHERE job_no = old.job_no AND n = old.n;
  END;

  CREATE TABLE api_keys (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL UNIQUE,
    prefix TEXT NOT NULL,
    name TEXT NOT NULL,
    workspace TEXT NOT NULL,
    scopes TEXT NOT NULL,
    limits TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;

  CREATE TABLE webhooks (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    job_id TEXT NOT NULL,
    event TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER,
    created_at INTEGER NOT NULL,
    body TEXT
  ) STRICT;
  CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX webhooks_of_job ON webhooks (job_id);
  CREATE TABLE webhook_attempts (
    webhook_no INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    PRIMARY KEY (webhook_no, attempt)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE schedules (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    cron TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    job TEXT NOT NULL,
    overlap TEXT NOT NULL,
    jitter_ms INTEGER NOT NULL,
    paused INTEGER NOT NULL,
    key_id TEXT,
    created_at INTEGER NOT NULL,
    next_tick INTEGER,
    next_at INTEGER
  ) STRICT;
  CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0 AND next_at IS NOT NULL;
  CREATE TABLE schedule_runs (
    schedule_id TEXT NOT NULL,
    tick INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    job_id TEXT,
    reason TEXT,
    catch_up INTEGER NOT NULL,
    PRIMARY KEY (schedule_id, tick)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE uploads (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    file_name TEXT NOT NULL,
    blob_key TEXT NOT NULL,
    key_id TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    completed_at INTEGER,
    bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE conduct_notes (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    job_no INTEGER NOT NULL,
    what TEXT NOT NULL,
    value TEXT NOT NULL,
    who TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX conduct_notes_of_job ON conduct_notes (job_no, no);
  CREATE TABLE host_overrides (
    host TEXT PRIMARY KEY,
    policy TEXT,
    paused_until INTEGER NOT NULL,
    pause_reason TEXT,
    by TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE host_listings (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    list TEXT NOT NULL,
    pattern TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    contact TEXT,
    token TEXT,
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    decided_by TEXT
  ) STRICT;

  CREATE VIRTUAL TABLE record_words USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TABLE search_state (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), seq INTEGER NOT NULL) STRICT;
  INSERT INTO search_state (only_row, seq) VALUES (1, 0);
  CREATE TRIGGER record_removed AFTER DELETE ON records
  WHEN old.seq <= (SELECT seq FROM search_state)
  BEGIN
    DELETE FROM record_words WHERE rowid = old.seq;
  END;
`
