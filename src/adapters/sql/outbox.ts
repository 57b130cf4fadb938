// The outbox: webhooks that wait for their delivery, with a log of attempts.
import type {
  NewWebhook,
  Webhook,
  WebhookAttempt,
  WebhookEvent,
  WebhookState,
  WebhookSummary,
} from '../../model/webhook.ts'
import type { OutboxStore } from '../../ports/service-stores.ts'
import { rowBefore } from './pages.ts'
import { all, isOrAny, one, run, type Sql, type Steps } from './sql.ts'

interface WebhookRow {
  id: string
  workspace: string
  job_id: string
  event: WebhookEvent
  url: string
  state: WebhookState
  attempts: number
  next_at: number | null
  created_at: number
  body: string
}

type SummaryRow = Omit<WebhookRow, 'body'>

const webhookOf = (row: WebhookRow): Webhook => ({ ...summaryOf(row), body: row.body })

const summaryOf = (row: SummaryRow): WebhookSummary => ({
  id: row.id,
  workspace: row.workspace,
  jobId: row.job_id,
  event: row.event,
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  nextAt: row.next_at,
  createdAt: row.created_at,
})

/** Runs in the transaction of the change that the webhooks report. The webhooks are due at once. */
export function* enterWebhooks(
  job: { id: string; workspace: string },
  webhooks: readonly NewWebhook[],
): Steps<void> {
  const text = `INSERT INTO webhooks (id, workspace, job_id, event, url, next_at, created_at, body)
    VALUES ($1, $2, $3, $4, $5, $6, $6, $7) ON CONFLICT (id) DO NOTHING`
  for (const { id, event, url, createdAt, body } of webhooks)
    yield* run(text, id, job.workspace, job.id, event, url, createdAt, body)
}

export function outboxStore(sql: Sql): OutboxStore {
  return { ...sending(sql), ...looking(sql) }
}

type Sending = Pick<OutboxStore, 'enter' | 'take' | 'hold' | 'settle' | 'replay'>

function sending(sql: Sql): Sending {
  return {
    enter: (jobId, webhooks) =>
      sql.transaction(function* () {
        const text = 'SELECT id, workspace FROM jobs WHERE id = $1'
        const job = yield* one<{ id: string; workspace: string }>(text, jobId)
        if (job) yield* enterWebhooks(job, webhooks)
      }),

    async take({ now, holdMs, limit }) {
      const due = 'next_at IS NOT NULL AND next_at <= $1'
      if (!(await sql.one(`SELECT 1 FROM webhooks WHERE ${due} LIMIT 1`, now))) return []
      return sql.transaction(function* () {
        const text = `SELECT * FROM webhooks WHERE ${due} ORDER BY next_at, no LIMIT $2 ${sql.skipLocked}`
        const rows = yield* all<WebhookRow>(text, now, limit)
        const hold = `UPDATE webhooks SET next_at = $1 WHERE ${sql.among('id', '$2')}`
        const ids = rows.map(({ id }) => id)
        yield* run(hold, now + holdMs, ids)
        return rows.map(webhookOf)
      }, 'relaxed')
    },

    async hold(webhookIds, { from, until }) {
      const text = `UPDATE webhooks SET next_at = $1 WHERE ${sql.among('id', '$2')} AND next_at = $3`
      await sql.transaction(() => run(text, until, webhookIds, from), 'relaxed')
    },

    settle: (webhookId, attempt, next) =>
      sql.transaction(function* () {
        const nextAt = next.state === 'pending' ? next.nextAt : null
        const text = 'UPDATE webhooks SET state = $1, attempts = attempts + 1, next_at = $2 WHERE id = $3'
        if ((yield* run(text, next.state, nextAt, webhookId)) === 1) yield* note(webhookId, attempt)
      }),

    async replay(webhookId, now) {
      const text = `UPDATE webhooks SET state = 'pending', attempts = 0, next_at = $1 WHERE id = $2`
      return (await sql.run(text, now, webhookId)) === 1
    },
  }
}

export function* deleteWebhooks(sql: Sql, numbers: readonly number[]): Steps<void> {
  yield* run(`DELETE FROM webhook_attempts WHERE ${sql.among('webhook_no', '$1', 'bigint')}`, numbers)
  yield* run(`DELETE FROM webhooks WHERE ${sql.among('no', '$1', 'bigint')}`, numbers)
}

/** Appends an attempt to the log of a webhook. The log numbers its attempts itself, because a replay resets the attempt count. */
const note = (
  webhookId: string,
  { at, durationMs, status, error }: Omit<WebhookAttempt, 'attempt'>,
): Steps<number> =>
  run(
    `INSERT INTO webhook_attempts (webhook_no, attempt, at, duration_ms, status, error)
     SELECT w.no, coalesce((SELECT max(attempt) FROM webhook_attempts a WHERE a.webhook_no = w.no), 0) + 1, $1, $2, $3, $4
     FROM webhooks w WHERE w.id = $5`,
    at,
    durationMs,
    status,
    error,
    webhookId,
  )

function looking(sql: Sql): Pick<OutboxStore, 'get' | 'list' | 'attempts'> {
  return {
    async get(webhookId) {
      const row = await sql.one<WebhookRow>('SELECT * FROM webhooks WHERE id = $1', webhookId)
      return row && webhookOf(row)
    },

    async list({ workspace, jobId, states, limit = 100, cursor } = {}) {
      const before = await rowBefore(sql, 'webhooks', cursor)
      const rows = await sql.all<SummaryRow>(
        `SELECT ${summaryColumns} FROM webhooks WHERE no < $1 AND ${isOrAny('workspace', '$2')} AND ${isOrAny('job_id', '$3')}
           ${states ? `AND ${sql.among('state', '$5')}` : ''} ORDER BY no DESC LIMIT $4`,
        ...[before, workspace ?? null, jobId ?? null, limit],
        ...(states ? [states] : []),
      )
      return rows.map(summaryOf)
    },

    attempts: webhookId =>
      sql.all<WebhookAttempt>(
        `SELECT attempt, at, duration_ms AS "durationMs", status, error FROM webhook_attempts
         WHERE webhook_no = (SELECT no FROM webhooks WHERE id = $1) ORDER BY attempt`,
        webhookId,
      ),
  }
}

/** Columns for lists of webhooks. The body is left out, because it may be long. */
const summaryColumns = 'id, workspace, job_id, event, url, state, attempts, next_at, created_at'
