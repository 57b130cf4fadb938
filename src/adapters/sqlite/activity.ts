// Counts of ended attempts over time.
import type { Reason } from '../../model/task.ts'
import type { ActivityStore } from '../../ports/activity.ts'
import { type StepCounter, succeededList } from '../step-counter.ts'
import type { Connection } from './connection.ts'
import type { Parts } from './parts.ts'

/** Attempts from before this table count, too. Their pages and records are not known by the hour. */
export const activityTables = `
  CREATE TABLE job_steps (
    job_no INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    PRIMARY KEY (job_no, at, outcome)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE job_hours (
    job_no INTEGER NOT NULL,
    at INTEGER NOT NULL,
    host TEXT NOT NULL,
    outcome TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    records INTEGER NOT NULL,
    PRIMARY KEY (job_no, at, host, outcome)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX job_hours_at ON job_hours (at);
  INSERT INTO job_steps
    SELECT a.job_no, a.ended_at / 1000 * 1000, o.text, count(*)
    FROM attempts a JOIN names o ON o.id = a.outcome GROUP BY 1, 2, 3;
  INSERT INTO job_hours
    SELECT a.job_no, a.ended_at / 3600000 * 3600000,
      CASE WHEN o.text IN (${succeededList}) THEN '' ELSE h.text END, o.text, count(*), 0, 0
    FROM attempts a JOIN names o ON o.id = a.outcome
      JOIN tasks t ON t.job_no = a.job_no AND t.n = a.n JOIN names h ON h.id = t.host
    GROUP BY 1, 2, 3, 4;
`

export function writeSteps(connection: Connection, counter: StepCounter): void {
  const step = connection.prepare(
    `INSERT INTO job_steps (job_no, at, outcome, attempts) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts`,
  )
  for (const { job_no, at, outcome, attempts } of counter.steps()) step.run(job_no, at, outcome, attempts)
  const hour = connection.prepare(
    `INSERT INTO job_hours (job_no, at, host, outcome, attempts, pages, records) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts, pages = pages + excluded.pages,
       records = records + excluded.records`,
  )
  for (const { job_no, at, host, outcome, attempts, pages, records } of counter.hours())
    hour.run(job_no, at, host, outcome, attempts, pages, records)
}

type HourRow = { at: number; outcome: Reason; attempts: number; pages: number; records: number }

const ofJob = 'job_no = (SELECT job_no FROM jobs WHERE id = ?)'

export function activityStore({ connection }: Parts): ActivityStore {
  return {
    async span(jobId) {
      const row = connection.one<{ first: number | null; last: number | null }>(
        `SELECT min(at) AS first, max(at) AS last FROM job_steps WHERE ${ofJob}`,
        jobId,
      )
      return row?.first == null ? null : { first: row.first, last: row.last! }
    },

    async steps(jobId, { first, stepMs }) {
      const rows = connection.all<{ at: number; outcome: Reason; attempts: number }>(
        // Numbers are bound as floating point; the division must be of integers.
        `SELECT CAST(?2 + (at - CAST(?2 AS INTEGER)) / CAST(?3 AS INTEGER) * ?3 AS INTEGER) AS at, outcome,
           sum(attempts) AS attempts
         FROM job_steps WHERE job_no = (SELECT job_no FROM jobs WHERE id = ?1) GROUP BY 1, 2 ORDER BY 1, 2`,
        jobId,
        first,
        stepMs,
      )
      return rows.map(row => ({ ...row }))
    },

    async hours({ workspace, from }) {
      const rows = connection.all<HourRow>(
        `SELECT h.at, h.outcome, sum(h.attempts) AS attempts, sum(h.pages) AS pages, sum(h.records) AS records
         FROM job_hours h JOIN jobs j ON j.job_no = h.job_no
         WHERE h.at >= ?1 AND (?2 IS NULL OR j.workspace = ?2) GROUP BY 1, 2 ORDER BY 1, 2`,
        from,
        workspace ?? null,
      )
      return rows.map(row => ({ ...row }))
    },

    async failures({ workspace, from, limit }) {
      const rows = connection.all<{ host: string; outcome: Reason; attempts: number; job_no: number }>(
        `SELECT h.host, h.outcome, sum(h.attempts) AS attempts, max(h.job_no) AS job_no
         FROM job_hours h JOIN jobs j ON j.job_no = h.job_no
         WHERE h.at >= ?1 AND (?2 IS NULL OR j.workspace = ?2) AND h.host <> ''
         GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?3`,
        from,
        workspace ?? null,
        limit,
      )
      const idOf = connection.prepare('SELECT id FROM jobs WHERE job_no = ?')
      return rows.map(({ host, outcome, attempts, job_no }) => ({
        ...{ host, outcome, attempts, jobId: idOf.get(job_no)!.id as string },
      }))
    },
  }
}
