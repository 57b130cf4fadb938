// Changes of job items. While a mirror is active, triggers record them in the same transaction.
import type { ItemTriggers } from '../sql/item-changes.ts'
import { itemChangeTable } from '../sql/tables.ts'
import { postgresWords } from './table-words.ts'
import { guardOfJob } from './workspace-guard.ts'

export const itemChanges = `
  ${itemChangeTable(postgresWords)}
  CREATE FUNCTION kscrape_note_new_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO item_changes (job_no, n) SELECT job_no, n FROM fresh;
    RETURN NULL;
  END $$;
  CREATE FUNCTION kscrape_note_moved_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO item_changes (job_no, n) SELECT f.job_no, f.n FROM fresh f
      JOIN stale s ON s.job_no = f.job_no AND s.n = f.n AND (s.state, s.attempt) IS DISTINCT FROM (f.state, f.attempt);
    RETURN NULL;
  END $$;
  CREATE FUNCTION kscrape_note_moved_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO item_changes (job_no, n) VALUES (NEW.job_no, 0);
    RETURN NULL;
  END $$;
  ${guardOfJob('item_changes')}
`

/** Statement triggers: a batch of a thousand tasks causes one more statement, not a thousand. */
export const itemTriggers: ItemTriggers = {
  find: `SELECT 1 FROM pg_trigger WHERE tgrelid = 'jobs'::regclass AND tgname = 'kscrape_moved_job'`,
  create: [
    `CREATE OR REPLACE TRIGGER kscrape_new_items AFTER INSERT ON tasks
     REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION kscrape_note_new_items()`,
    `CREATE OR REPLACE TRIGGER kscrape_moved_items AFTER UPDATE ON tasks
     REFERENCING OLD TABLE AS stale NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION kscrape_note_moved_items()`,
    `CREATE OR REPLACE TRIGGER kscrape_moved_job AFTER UPDATE OF state ON jobs
     FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION kscrape_note_moved_job()`,
  ],
  drop: [
    'DROP TRIGGER IF EXISTS kscrape_new_items ON tasks',
    'DROP TRIGGER IF EXISTS kscrape_moved_items ON tasks',
    'DROP TRIGGER IF EXISTS kscrape_moved_job ON jobs',
  ],
}
