// The outbox: webhooks that wait for their delivery, with a log of attempts.
import type { NewWebhook, Webhook, WebhookAttempt, WebhookSummary } from '../../model/webhook.ts'
import type { OutboxStore } from '../../ports/service-stores.ts'
import { rowBefore } from './pages.ts'
import { all, isOrAny, one, run, type Sql, type Steps } from './sql.ts'
import { findAll, findOne, type StoredRow, stored } from './stored.ts'

const summaryFields = {
  id: 'plain',
  workspace: 'plain',
  jobId: 'plain',
  event: 'plain',
  url: 'plain',
  state: 'plain',
  attempts: 'plain',
  nextAt: 'plain',
  createdAt: 'plain',
} as const

const webhooks = stored<Webhook>('webhooks', { ...summaryFields, body: 'plain' })
/** The columns of the list of webhooks. The body is left out, because it may be long. */
const summaries = stored<WebhookSummary>('webhooks', summaryFields)

/** Runs in the transaction of the change that the webhooks report. The webhooks are due at once. */
export function* enterWebhooks(
  job: { id: string; workspace: string },
  entered: readonly NewWebhook[],
): Steps<void> {
  const text = `${webhooks.insert} ON CONFLICT (id) DO NOTHING`
  const fresh = { workspace: job.workspace, jobId: job.id, state: 'pending', attempts: 0 } as const
  for (const webhook of entered)
    yield* run(text, ...webhooks.values({ ...webhook, ...fresh, nextAt: webhook.createdAt }))
}

export function outboxStore(sql: Sql): OutboxStore {
  return { ...sending(sql), ...looking(sql) }
}

type Sending = Pick<OutboxStore, 'enter' | 'take' | 'hold' | 'settle' | 'replay'>

function sending(sql: Sql): Sending {
  return {
    enter: (jobId, entered) =>
      sql.transaction(function* () {
        const text = 'SELECT id, workspace FROM jobs WHERE id = $1'
        const job = yield* one<{ id: string; workspace: string }>(text, jobId)
        if (job) yield* enterWebhooks(job, entered)
      }),

    async take({ now, holdMs, limit }) {
      const due = 'next_at IS NOT NULL AND next_at <= $1'
      if (!(await sql.one(`SELECT 1 FROM webhooks WHERE ${due} LIMIT 1`, now))) return []
      return sql.transaction(function* () {
        const text = `${webhooks.select} WHERE ${due} ORDER BY next_at, no LIMIT $2 ${sql.skipLocked}`
        const taken = (yield* all<StoredRow<Webhook>>(text, now, limit)).map(webhooks.from)
        const hold = `UPDATE webhooks SET next_at = $1 WHERE ${sql.among('id', '$2')}`
        const ids = taken.map(({ id }) => id)
        yield* run(hold, now + holdMs, ids)
        return taken
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
    get: webhookId => findOne(sql, webhooks, 'WHERE id = $1', webhookId),

    async list({ workspace, jobId, states, limit = 100, cursor } = {}) {
      const before = await rowBefore(sql, 'webhooks', cursor)
      return findAll(
        sql,
        summaries,
        `WHERE no < $1 AND ${isOrAny('workspace', '$2')} AND ${isOrAny('job_id', '$3')}
           ${states ? `AND ${sql.among('state', '$5')}` : ''} ORDER BY no DESC LIMIT $4`,
        ...[before, workspace ?? null, jobId ?? null, limit],
        ...(states ? [states] : []),
      )
    },

    attempts: webhookId =>
      sql.all<WebhookAttempt>(
        `SELECT attempt, at, duration_ms AS "durationMs", status, error FROM webhook_attempts
         WHERE webhook_no = (SELECT no FROM webhooks WHERE id = $1) ORDER BY attempt`,
        webhookId,
      ),
  }
}
