// Tables with counts of ended attempts over time, and their writes.
import { succeededList } from '../step-counter.ts'
import type { BulkWrite } from './bulk-writes.ts'
import { guardOfJob } from './workspace-guard.ts'

/** The migration also counts the attempts that were stored before this table existed. Their pages and records per hour are
 *  unknown. */
export const activityTables = `
  CREATE TABLE job_steps (
    job_no bigint NOT NULL,
    at bigint NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    attempts bigint NOT NULL,
    PRIMARY KEY (job_no, at, outcome)
  ) WITH (fillfactor = 70);
  CREATE TABLE job_hours (
    job_no bigint NOT NULL,
    at bigint NOT NULL,
    host text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    attempts bigint NOT NULL,
    pages bigint NOT NULL,
    records bigint NOT NULL,
    PRIMARY KEY (job_no, at, host, outcome)
  ) WITH (fillfactor = 50);
  CREATE INDEX job_hours_at ON job_hours (at);
  INSERT INTO job_steps
    SELECT job_no, ended_at / 1000 * 1000, outcome, count(*) FROM attempts GROUP BY 1, 2, 3;
  INSERT INTO job_hours
    SELECT a.job_no, a.ended_at / 3600000 * 3600000,
      CASE WHEN a.outcome IN (${succeededList}) THEN '' ELSE t.host END, a.outcome, count(*), 0, 0
    FROM attempts a JOIN tasks t ON t.job_no = a.job_no AND t.n = a.n GROUP BY 1, 2, 3, 4;
  ${guardOfJob('job_steps')}
  ${guardOfJob('job_hours')}
`

export const jobSteps = {
  name: 'steps',
  columns: { job_no: 'bigint', at: 'bigint', outcome: 'text', attempts: 'bigint' },
  text: steps =>
    `INSERT INTO job_steps AS s (job_no, at, outcome, attempts)
     SELECT job_no, at, outcome, attempts FROM ${steps} ORDER BY job_no, at, outcome
     ON CONFLICT (job_no, at, outcome) DO UPDATE SET attempts = s.attempts + excluded.attempts`,
} satisfies BulkWrite

export const jobHours = {
  name: 'hours',
  columns: {
    ...{ job_no: 'bigint', at: 'bigint', host: 'text', outcome: 'text', attempts: 'bigint' },
    ...{ pages: 'bigint', records: 'bigint' },
  },
  text: hours =>
    `INSERT INTO job_hours AS h (job_no, at, host, outcome, attempts, pages, records)
     SELECT job_no, at, host, outcome, attempts, pages, records FROM ${hours} ORDER BY job_no, at, host, outcome
     ON CONFLICT (job_no, at, host, outcome) DO UPDATE SET attempts = h.attempts + excluded.attempts,
       pages = h.pages + excluded.pages, records = h.records + excluded.records`,
} satisfies BulkWrite
