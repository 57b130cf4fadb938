// Tables of the service: keys, webhooks, schedules, uploads, conduct, search; and additional columns of jobs.
import { serviceTables as tables } from '../sql/tables.ts'
import { sqliteWords } from './table-words.ts'

/** Design notes:
 *  - `failed_tasks` numbers failures in commit order, so paging over a running job returns each failure once. It is filled by
 *  triggers, because tasks fail in several places.
 *  - The index `record_words` stores no text. It is filled in the background; `search_state` has its position. Only deletions
 *  are applied at once. */
export const serviceTables = `
  ${tables(sqliteWords)}
  ALTER TABLE jobs ADD COLUMN labels TEXT;
  CREATE INDEX jobs_open ON jobs (state) WHERE state IN ('pending', 'running', 'paused', 'finishing');
  CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0 AND next_at IS NOT NULL;

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

  CREATE VIRTUAL TABLE record_words USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE TRIGGER record_removed AFTER DELETE ON records
  WHEN old.seq <= (SELECT seq FROM search_state)
  BEGIN
    DELETE FROM record_words WHERE rowid = old.seq;
  END;
`

/** Removes the labels of kscrape from the searched column. */
export const givenLabels = `
  UPDATE jobs SET labels = (SELECT nullif(json_group_object(l.key, l.value), '{}') FROM json_each(labels) l
    WHERE NOT (l.key IN ('monitor', 'firecrawl', 'firecrawl-monitor') OR l.key GLOB 'monitor.[0-9]*'
      OR l.key GLOB 'firecrawl.[0-9]*' OR l.key GLOB 'firecrawl-monitor.[0-9]*'))
    WHERE labels LIKE '%monitor%' OR labels LIKE '%firecrawl%';
`
