// The outbox: stored webhooks until their delivery, with a log of attempts.
import type { NewWebhook, WebhookAttempt } from '../../model/webhook.ts'
import type { OutboxStore } from '../../ports/service-stores.ts'
import { type SummaryRow, summaryOf, type WebhookRow, webhookOf } from '../rows/webhook-rows.ts'
import type { Connection } from './connection.ts'
import { listOrAny, rowBefore } from './pages.ts'
import type { Parts } from './parts.ts'

/** Inside a write: due at once. */
export function enterWebhooks(
  connection: Connection,
  job: { id: string; workspace: string },
  webhooks: readonly NewWebhook[],
): void {
  const text = `INSERT INTO webhooks (id, workspace, job_id, event, url, next_at, created_at, body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
  for (const { id, event, url, createdAt, body } of webhooks)
    connection.run(text, id, job.workspace, job.id, event, url, createdAt, createdAt, body)
}

export function outboxStore({ connection }: Parts): OutboxStore {
  return { ...sending(connection), ...looking(connection) }
}

type Sending = Pick<OutboxStore, 'enter' | 'take' | 'hold' | 'nextDue' | 'settle' | 'replay' | 'forget'>

function sending(connection: Connection): Sending {
  return {
    async enter(jobId, webhooks) {
      connection.write(() => {
        const text = 'SELECT id, workspace FROM jobs WHERE id = ?'
        const job = connection.one<{ id: string; workspace: string }>(text, jobId)
        if (job) enterWebhooks(connection, job, webhooks)
      })
    },

    async take({ now, holdMs, limit }) {
      const due = 'next_at IS NOT NULL AND next_at <= ?'
      if (!connection.one(`SELECT 1 FROM webhooks WHERE ${due}`, now)) return []
      return connection.write(() => {
        const rows = connection.all<WebhookRow>(
          `SELECT * FROM webhooks WHERE ${due} ORDER BY next_at, no LIMIT ?`,
          now,
          limit,
        )
        for (const { id } of rows)
          connection.run('UPDATE webhooks SET next_at = ? WHERE id = ?', now + holdMs, id)
        return rows.map(webhookOf)
      }, 'relaxed')
    },

    async hold(webhookIds, { from, until }) {
      const text = `UPDATE webhooks SET next_at = ?1
        WHERE id IN (SELECT value FROM json_each(?2)) AND next_at = ?3`
      connection.write(() => connection.run(text, until, JSON.stringify(webhookIds), from), 'relaxed')
    },

    async nextDue() {
      const text = 'SELECT min(next_at) AS at FROM webhooks WHERE next_at IS NOT NULL'
      return connection.one<{ at: number | null }>(text)?.at ?? null
    },

    async settle(webhookId, attempt, next) {
      connection.write(() => {
        const nextAt = next.state === 'pending' ? next.nextAt : null
        const text = 'UPDATE webhooks SET state = ?, attempts = attempts + 1, next_at = ? WHERE id = ?'
        if (connection.run(text, next.state, nextAt, webhookId) === 1) note(connection, webhookId, attempt)
      })
    },

    async replay(webhookId, now) {
      const text = `UPDATE webhooks SET state = 'pending', attempts = 0, next_at = ? WHERE id = ?`
      return connection.write(() => connection.run(text, now, webhookId)) === 1
    },

    async forget(before, limit, jobId) {
      const old = connection.all<{ no: number }>(forgettable, before, limit, jobId ?? null)
      if (old.length === 0) return 0
      return connection.write(() => {
        for (const { no } of old) {
          connection.run('DELETE FROM webhook_attempts WHERE webhook_no = ?', no)
          connection.run('DELETE FROM webhooks WHERE no = ?', no)
        }
        return old.length
      }, 'relaxed')
    },
  }
}

/** ?1 before, ?2 limit, ?3 job or null. */
export const forgettable = `SELECT no FROM webhooks w WHERE state <> 'pending' AND created_at < ?1
  AND (?3 IS NULL OR job_id = ?3)
  AND NOT EXISTS (SELECT 1 FROM webhook_attempts a WHERE a.webhook_no = w.no AND a.at >= ?1)
  AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = w.job_id AND coalesce(j.finished_at, ?1) >= ?1)
  ORDER BY no LIMIT ?2`

/** Numbering continues after a replay, which resets the attempt count. */
function note(connection: Connection, webhookId: string, attempt: Omit<WebhookAttempt, 'attempt'>): void {
  const { at, durationMs, status, error } = attempt
  connection.run(
    `INSERT INTO webhook_attempts (webhook_no, attempt, at, duration_ms, status, error)
     SELECT w.no, coalesce((SELECT max(attempt) FROM webhook_attempts a WHERE a.webhook_no = w.no), 0) + 1, ?, ?, ?, ?
     FROM webhooks w WHERE w.id = ?`,
    at,
    durationMs,
    status,
    error,
    webhookId,
  )
}

function looking(connection: Connection): Pick<OutboxStore, 'get' | 'list' | 'attempts'> {
  return {
    async get(webhookId) {
      const row = connection.one<WebhookRow>('SELECT * FROM webhooks WHERE id = ?', webhookId)
      return row ? webhookOf(row) : null
    },

    async list({ workspace, jobId, states, limit = 100, cursor } = {}) {
      const rows = connection.all<SummaryRow>(
        `SELECT ${summaryColumns} FROM webhooks WHERE no < ?1 AND (?2 IS NULL OR workspace = ?2) AND (?3 IS NULL OR job_id = ?3)
           AND (?4 IS NULL OR state IN (SELECT value FROM json_each(?4))) ORDER BY no DESC LIMIT ?5`,
        rowBefore(connection, 'webhooks', cursor),
        workspace ?? null,
        jobId ?? null,
        listOrAny(states),
        limit,
      )
      return rows.map(summaryOf)
    },

    async attempts(webhookId) {
      return connection
        .all<Omit<WebhookAttempt, 'durationMs'> & { duration_ms: number }>(
          `SELECT attempt, at, duration_ms, status, error FROM webhook_attempts
           WHERE webhook_no = (SELECT no FROM webhooks WHERE id = ?) ORDER BY attempt`,
          webhookId,
        )
        .map(({ attempt, at, duration_ms: durationMs, status, error }) => {
          return { attempt, at, durationMs, status, error }
        })
    },
  }
}

/** Without the body, which may be long. */
const summaryColumns = 'id, workspace, job_id, event, url, state, attempts, next_at, created_at'
