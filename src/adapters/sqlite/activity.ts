// Tables with counts of ended attempts over time, and their writes.
import { type StepCounter, succeededList } from '../step-counter.ts'
import type { Connection } from './connection.ts'

/** The migration also counts the attempts that were stored before this table existed. Their pages and records per hour are
 *  unknown. */
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
