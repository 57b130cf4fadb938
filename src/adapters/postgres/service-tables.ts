// Tables of the service: keys, webhooks, schedules, uploads, conduct, search; and additional columns of jobs.
import { serviceTables as tables } from '../sql/tables.ts'
import { postgresWords } from './table-words.ts'

/** Design notes:
 *  - `failed_tasks` numbers failures in commit order, so paging over a running job returns each failure once. It is filled by
 *  triggers, because tasks fail in several places.
 *  - `record_words` is filled in the background; `search_state` has its position. Deleting a record deletes its words. */
export const serviceTables = `
  ${tables(postgresWords)}
  ALTER TABLE jobs ADD COLUMN labels jsonb;
  CREATE INDEX schedules_due ON schedules (next_at) WHERE NOT paused AND next_at IS NOT NULL;

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

  CREATE TABLE record_words (
    seq bigint PRIMARY KEY REFERENCES records (seq) ON DELETE CASCADE,
    words tsvector NOT NULL
  );
  CREATE INDEX record_words_by_word ON record_words USING gin (words);
`

/** Removes the labels of kscrape from the searched column. */
export const givenLabels = `
  UPDATE jobs SET labels = nullif(labels - ARRAY(SELECT name FROM jsonb_object_keys(labels) name
      WHERE name ~ '^(monitor|firecrawl|firecrawl-monitor)([.][0-9]+)?$'), '{}'::jsonb)
    WHERE labels IS NOT NULL;
`
