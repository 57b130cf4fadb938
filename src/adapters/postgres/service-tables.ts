// Tables of the service: keys, webhooks, schedules, uploads, conduct, search; and additional columns of jobs.

/** Design notes:
 *  - `failed_tasks` numbers failures in commit order, so paging over a running job returns each failure once. It is filled by
 *  triggers, because tasks fail in several places.
 *  - `record_words` is filled in the background; `search_state` has its position. Deleting a record deletes its words. */
export const serviceTables = `
  ALTER TABLE jobs ADD COLUMN workspace text NOT NULL DEFAULT 'default';
  ALTER TABLE jobs ADD COLUMN face text NOT NULL DEFAULT 'cli';
  ALTER TABLE jobs ADD COLUMN key_id text;
  ALTER TABLE jobs ADD COLUMN schedule_id text;
  ALTER TABLE jobs ADD COLUMN labels jsonb;
  CREATE INDEX jobs_of_workspace ON jobs (workspace, job_no);
  CREATE INDEX jobs_of_schedule ON jobs (schedule_id, job_no) WHERE schedule_id IS NOT NULL;

  CREATE TABLE idempotency_keys (
    workspace text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    job_no bigint NOT NULL,
    PRIMARY KEY (workspace, key)
  );
  CREATE INDEX idempotency_keys_of_job ON idempotency_keys (job_no);

  CREATE TABLE failed_tasks (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_no bigint NOT NULL,
    n bigint NOT NULL,
    UNIQUE (job_no, n)
  );
  CREATE INDEX failed_tasks_of_job ON failed_tasks (job_no, seq);
  INSERT INTO failed_tasks (job_no, n) SELECT job_no, n FROM tasks WHERE state = 'failed' ORDER BY job_no, n;
  CREATE FUNCTION note_failed_task() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF new.state = 'failed' THEN
      INSERT INTO failed_tasks (job_no, n) VALUES (new.job_no, new.n);
    ELSE
      DELETE FROM failed_tasks WHERE job_no = old.job_no AND n = old.n;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER task_failed AFTER UPDATE OF state ON tasks FOR EACH ROW
    WHEN ((new.state = 'failed') <> (old.state = 'failed')) EXECUTE FUNCTION note_failed_task();

  CREATE TABLE api_keys (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    hash text NOT NULL UNIQUE,
    prefix text NOT NULL,
    name text NOT NULL,
    workspace text NOT NULL,
    scopes text NOT NULL,
    limits text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
  );

  CREATE TABLE webhooks (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    workspace text NOT NULL,
    job_id text NOT NULL,
    event text NOT NULL,
    url text NOT NULL,
    state text NOT NULL DEFAULT 'pending',
    attempts integer NOT NULL DEFAULT 0,
    next_at bigint,
    created_at bigint NOT NULL,
    body text
  );
  CREATE INDEX webhooks_due ON webhooks (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX webhooks_of_job ON webhooks (job_id);
  CREATE TABLE webhook_attempts (
    webhook_no bigint NOT NULL,
    attempt integer NOT NULL,
    at bigint NOT NULL,
    duration_ms bigint NOT NULL,
    status integer,
    error text,
    PRIMARY KEY (webhook_no, attempt)
  );

  CREATE TABLE schedules (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    workspace text NOT NULL,
    name text NOT NULL,
    cron text NOT NULL,
    time_zone text NOT NULL,
    job text NOT NULL,
    overlap text NOT NULL,
    jitter_ms bigint NOT NULL,
    paused boolean NOT NULL,
    key_id text,
    created_at bigint NOT NULL,
    next_tick bigint,
    next_at bigint
  );
  CREATE INDEX schedules_due ON schedules (next_at) WHERE NOT paused AND next_at IS NOT NULL;
  CREATE TABLE schedule_runs (
    schedule_id text NOT NULL,
    tick bigint NOT NULL,
    at bigint NOT NULL,
    outcome text NOT NULL,
    job_id text,
    reason text,
    catch_up boolean NOT NULL,
    PRIMARY KEY (schedule_id, tick)
  );

  CREATE TABLE uploads (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    workspace text NOT NULL,
    file_name text NOT NULL,
    blob_key text NOT NULL,
    key_id text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    completed_at bigint,
    bytes bigint NOT NULL DEFAULT 0
  );

  CREATE TABLE conduct_notes (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_no bigint NOT NULL,
    what text NOT NULL,
    value text NOT NULL,
    who text NOT NULL,
    at bigint NOT NULL
  );
  CREATE INDEX conduct_notes_of_job ON conduct_notes (job_no, no);
  CREATE TABLE host_overrides (
    host text COLLATE "C" PRIMARY KEY,
    policy text,
    paused_until bigint NOT NULL,
    pause_reason text,
    by text NOT NULL,
    at bigint NOT NULL
  );
  CREATE TABLE host_listings (
    no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    list text NOT NULL,
    pattern text NOT NULL,
    state text NOT NULL,
    reason text,
    contact text,
    token text,
    created_at bigint NOT NULL,
    decided_at bigint,
    decided_by text
  );

  CREATE TABLE record_words (
    seq bigint PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE,
    words tsvector NOT NULL
  );
  CREATE INDEX record_words_by_word ON record_words USING gin (words);
  CREATE TABLE search_state (only_row integer PRIMARY KEY CHECK (only_row = 1), seq bigint NOT NULL);
  INSERT INTO search_state (only_row, seq) VALUES (1, 0);
`
