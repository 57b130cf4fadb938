// Views for psql, Grafana and BI tools, with `jsonb` and `timestamptz` columns. The tables themselves use text and milliseconds;
// see docs/decisions/0010-views-for-bi.md.
import { guardedRole } from './workspace-guard.ts'

/** The prefix of every view, in this file and in `record-views.ts`. */
export const viewPrefix = 'bi_'

const time = (column: string): string => `to_timestamp(${column} / 1000.0)`

/** Parses a record once for all columns: OFFSET 0 keeps PostgreSQL from inlining the subquery. */
export const parsedData = `CROSS JOIN LATERAL (
  SELECT CASE WHEN strpos(r.data, '\\ud') = 0 THEN r.data::jsonb ELSE kscrape_json(r.data) END AS data OFFSET 0
) d`

/** Removes the access of the API's role. Views run with the rights of the tables' owner, so row-level security would not
 *  apply. */
export const withoutCallers = (view: string): string => `
  DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${guardedRole}') THEN
      REVOKE ALL ON ${view} FROM ${guardedRole};
    END IF;
  END $$;`

/** Casts that give NULL for invalid text, so that one bad record does not fail a query over a million records. */
const casts = `
  CREATE FUNCTION kscrape_json(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
  BEGIN RETURN value::jsonb; EXCEPTION WHEN others THEN RETURN NULL; END $$;
  CREATE FUNCTION kscrape_time(value text) RETURNS timestamptz LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
  BEGIN RETURN value::timestamptz; EXCEPTION WHEN others THEN RETURN NULL; END $$;
  CREATE FUNCTION kscrape_date(value text) RETURNS date LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
  BEGIN RETURN value::date; EXCEPTION WHEN others THEN RETURN NULL; END $$;
`

export const reportingViews = `
  ${casts}
  CREATE VIEW ${viewPrefix}jobs AS
    SELECT id AS job_id, workspace, kind, state, reason, spec::jsonb ->> 'scraperId' AS scraper_id, spec::jsonb -> 'labels' AS labels, ${time('created_at')} AS created_at,
      ${time('started_at')} AS started_at, ${time('finished_at')} AS finished_at
    FROM jobs;
  CREATE VIEW ${viewPrefix}tasks AS
    SELECT j.id AS job_id, j.workspace, t.n AS task, t.item_id, t.url, t.host, t.state, t.reason, t.message, t.depth,
      t.attempt AS attempts, t.input::jsonb AS input
    FROM tasks t JOIN jobs j ON j.job_no = t.job_no;
  CREATE VIEW ${viewPrefix}attempts AS
    SELECT j.id AS job_id, j.workspace, a.n AS task, a.attempt, a.outcome, a.status, a.bytes, a.worker, a.way,
      ${time('a.started_at')} AS started_at, ${time('a.ended_at')} AS ended_at
    FROM attempts a JOIN jobs j ON j.job_no = a.job_no;
  CREATE VIEW ${viewPrefix}records AS
    SELECT j.id AS job_id, j.workspace, r.n AS task, r.idx AS index, t.item_id, t.url, r.final_url, t.host, r.status,
      ${time('r.fetched_at')} AS fetched_at, r.scraper, d.data, r.provenance::jsonb AS provenance
    FROM records r JOIN jobs j ON j.job_no = r.job_no JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n ${parsedData};
  ${['jobs', 'tasks', 'attempts', 'records'].map(name => withoutCallers(viewPrefix + name)).join('')}
`

/** The spec also has labels of kscrape, which may contain secrets. */
export const jobsViewOfGivenLabels = `
  CREATE OR REPLACE VIEW ${viewPrefix}jobs AS
    SELECT id AS job_id, workspace, kind, state, reason, spec::jsonb ->> 'scraperId' AS scraper_id,
      coalesce(labels, '{}'::jsonb) AS labels, ${time('created_at')} AS created_at, ${time('started_at')} AS started_at,
      ${time('finished_at')} AS finished_at
    FROM jobs;
`
