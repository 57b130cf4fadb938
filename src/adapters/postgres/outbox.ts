// The outbox: stored webhooks until their delivery, with a log of attempts.
import type { NewWebhook, WebhookAttempt } from '../../model/webhook.ts'
import type { OutboxStore } from '../../ports/service-stores.ts'
import { type SummaryRow, summaryOf, type WebhookRow, webhookOf } from '../rows/webhook-rows.ts'
import type { Database, Queries } from './database.ts'
import { rowBefore } from './pages.ts'

/** In the transaction of the change; due at once. */
export async function enterWebhooks(
  queries: Queries,
  job: { id: string; workspace: string },
  webhooks: readonly NewWebhook[],
): Promise<void> {
  const text = `INSERT INTO webhooks (id, workspace, job_id, event, url, next_at, created_at, body)
    VALUES ($1, $2, $3, $4, $5, $6, $6, $7) ON CONFLICT (id) DO NOTHING`
  for (const { id, event, url, createdAt, body } of webhooks)
    await queries.run(text, id, job.workspace, job.id, event, url, createdAt, body)
}

export function outboxStore(database: Database): OutboxStore {
  return { ...sending(database), ...looking(database) }
}

type Sending = Pick<OutboxStore, 'enter' | 'take' | 'hold' | 'nextDue' | 'settle' | 'replay' | 'forget'>

function sending(database: Database): Sending {
  return {
    async enter(jobId, webhooks) {
      await database.transaction(async queries => {
        const text = 'SELECT id, workspace FROM jobs WHERE id = $1'
        const [job] = await queries.all<{ id: string; workspace: string }>(text, jobId)
        if (job) await enterWebhooks(queries, job, webhooks)
      })
    },

    async take({ now, holdMs, limit }) {
      const rows = await database.all<WebhookRow & { no: number; was_due: number }>(
        `WITH due AS (
           SELECT no, next_at FROM webhooks WHERE next_at IS NOT NULL AND next_at <= $1
           ORDER BY next_at, no LIMIT $3 FOR UPDATE SKIP LOCKED
         )
         UPDATE webhooks w SET next_at = $1 + $2::bigint FROM due WHERE w.no = due.no
         RETURNING w.*, due.next_at AS was_due`,
        now,
        holdMs,
        limit,
      )
      rows.sort((a, b) => a.was_due - b.was_due || a.no - b.no)
      return rows.map(row => webhookOf({ ...row, next_at: row.was_due }))
    },

    async hold(webhookIds, { from, until }) {
      const text = 'UPDATE webhooks SET next_at = $1 WHERE id = ANY($2::text[]) AND next_at = $3'
      await database.run(text, until, webhookIds, from)
    },

    async nextDue() {
      const text = 'SELECT min(next_at) AS at FROM webhooks WHERE next_at IS NOT NULL'
      return (await database.one<{ at: number | null }>(text))?.at ?? null
    },

    settle: (webhookId, attempt, next) =>
      database.transaction(async queries => {
        const nextAt = next.state === 'pending' ? next.nextAt : null
        const text = 'UPDATE webhooks SET state = $1, attempts = attempts + 1, next_at = $2 WHERE id = $3'
        if ((await queries.run(text, next.state, nextAt, webhookId)) === 1)
          await note(queries, webhookId, attempt)
      }),

    async replay(webhookId, now) {
      const text = `UPDATE webhooks SET state = 'pending', attempts = 0, next_at = $1 WHERE id = $2`
      return (await database.run(text, now, webhookId)) === 1
    },

    forget: (before, limit, jobId) =>
      database.transaction(async queries => {
        const old = await queries.all<{ no: number }>(
          `${forgettable} FOR UPDATE OF w SKIP LOCKED`,
          ...[before, limit, jobId ?? null],
        )
        const numbers = old.map(({ no }) => no)
        await queries.run('DELETE FROM webhook_attempts WHERE webhook_no = ANY($1::bigint[])', numbers)
        await queries.run('DELETE FROM webhooks WHERE no = ANY($1::bigint[])', numbers)
        return old.length
      }),
  }
}

/** $1 before, $2 limit (null: all), $3 job or null. */
export const forgettable = `SELECT no FROM webhooks w WHERE state <> 'pending' AND created_at < $1
  AND ($3::text IS NULL OR job_id = $3)
  AND NOT EXISTS (SELECT 1 FROM webhook_attempts a WHERE a.webhook_no = w.no AND a.at >= $1)
  AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = w.job_id AND coalesce(j.finished_at, $1) >= $1)
  ORDER BY no LIMIT $2::bigint`

/** Numbering continues after a replay, which resets the attempt count. */
async function note(
  queries: Queries,
  webhookId: string,
  { at, durationMs, status, error }: Omit<WebhookAttempt, 'attempt'>,
): Promise<void> {
  await queries.run(
    `INSERT INTO webhook_attempts (webhook_no, attempt, at, duration_ms, status, error)
     SELECT w.no, coalesce((SELECT max(attempt) FROM webhook_attempts a WHERE a.webhook_no = w.no), 0) + 1, $1, $2, $3, $4
     FROM webhooks w WHERE w.id = $5`,
    at,
    durationMs,
    status,
    error,
    webhookId,
  )
}

function looking(database: Database): Pick<OutboxStore, 'get' | 'list' | 'attempts'> {
  return {
    async get(webhookId) {
      const row = await database.one<WebhookRow>('SELECT * FROM webhooks WHERE id = $1', webhookId)
      return row ? webhookOf(row) : null
    },

    async list({ workspace, jobId, states, limit = 100, cursor } = {}) {
      const rows = await database.all<SummaryRow>(
        `SELECT ${summaryColumns} FROM webhooks WHERE no < $1 AND ($2::text IS NULL OR workspace = $2) AND ($3::text IS NULL OR job_id = $3)
           AND ($4::text[] IS NULL OR state = ANY($4)) ORDER BY no DESC LIMIT $5`,
        await rowBefore(database, 'webhooks', cursor),
        workspace ?? null,
        jobId ?? null,
        states ?? null,
        limit,
      )
      return rows.map(summaryOf)
    },

    attempts: webhookId =>
      database.all<WebhookAttempt & Record<string, unknown>>(
        `SELECT attempt, at, duration_ms AS "durationMs", status, error FROM webhook_attempts
         WHERE webhook_no = (SELECT no FROM webhooks WHERE id = $1) ORDER BY attempt`,
        webhookId,
      ),
  }
}

/** Without the body, which may be long. */
const summaryColumns = 'id, workspace, job_id, event, url, state, attempts, next_at, created_at'
