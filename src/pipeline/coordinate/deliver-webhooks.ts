// Delivering: what waits in the outbox is sent when it is due, several at a time, and what came of it is written down.
import { type PostParts, postWebhook } from '../../deliver/post-webhook.ts'
import { afterTry } from '../../deliver/retry-webhook.ts'
import { isSampled } from '../../lib/traces/trace-context.ts'
import type { Job } from '../../model/job.ts'
import type { Span } from '../../model/trace.ts'
import type { Webhook, WebhookAttempt } from '../../model/webhook.ts'
import type { OutboxStore } from '../../ports/service-stores.ts'
import type { JobStore } from '../../ports/store.ts'
import type { Traces } from '../../ports/traces.ts'
import type { Mark } from './context.ts'
import { HeldWebhooks } from './held-webhooks.ts'
import { partOfJob } from './spans.ts'

export interface DeliveryParts extends PostParts {
  outbox: OutboxStore
  /** Before each further try; the usual ones without it. */
  waitsMs?: readonly number[] | undefined
  mark?: Mark
  /** To see which trace a webhook belongs to; none without it. */
  jobs?: Pick<JobStore, 'get'>
  traces?: Traces
  /** Told of every attempt that was written down. */
  tell?: (told: Delivery) => void
  /** Calls the listener when something may be due; returns what ends that. Only saves waiting. */
  onNews?: (listener: () => void) => () => void
}

export interface Delivery {
  webhook: Webhook
  attempt: Omit<WebhookAttempt, 'attempt'>
  state: Webhook['state']
  nextAt: number | null
  /** Of this try where it is traced, else of its job. */
  traceparent: string | null
}

/** A receiver that answers nothing holds one of these for ten seconds. */
const mostAtOnce = 32
/** Others may enter webhooks too: another process, or a replay. */
const lookEveryMs = 1_000

/** Sends what is due now, each once, and says how many that were. */
export async function deliverDue(parts: DeliveryParts, signal: AbortSignal): Promise<number> {
  const held = await HeldWebhooks.take(parts, mostAtOnce)
  await Promise.all(sending(parts, held, signal))
  return held.webhooks.length
}

const sending = (parts: DeliveryParts, held: HeldWebhooks, signal: AbortSignal): Promise<void>[] =>
  held.webhooks.map(webhook => deliver(parts, webhook, signal).finally(() => held.letGo(webhook)))

async function deliver(parts: DeliveryParts, webhook: Webhook, signal: AbortSignal): Promise<void> {
  parts.mark?.('webhook.after_take_before_send')
  const job = (await parts.jobs?.get(webhook.jobId).catch(() => null)) ?? null
  const span = parts.traces?.isOn ? spanFor(webhook, job) : null
  const traceparent = span?.traceparent ?? null
  const { isFinal = false, ...attempt } = await postWebhook({ ...parts, traceparent }, webhook, signal)
  if (span) parts.traces?.add(triedSpan(span, webhook, attempt))
  parts.mark?.('webhook.after_send_before_mark')
  // Called off, not answered: it is due again when our hold is over.
  if (signal.aborted && attempt.error !== null) return
  const after = afterTry({ ...attempt, isFinal }, webhook.attempts, parts.waitsMs)
  await parts.outbox.settle(webhook.id, attempt, after)
  const nextAt = after.state === 'pending' ? after.nextAt : null
  parts.tell?.({
    ...{ webhook, attempt, state: after.state, nextAt },
    traceparent: traceparent ?? job?.traceparent ?? null,
  })
}

function spanFor({ id, attempts }: Webhook, job: Job | null): Span | null {
  if (!job?.traceparent || !isSampled(job.traceparent)) return null
  const attributes = { 'kscrape.webhook_id': id, 'kscrape.attempt': attempts + 1 }
  return partOfJob(
    'webhook',
    { id: job.id, traceparent: job.traceparent },
    { startedAt: 0, endedAt: 0, attributes },
  )
}

const triedSpan = (span: Span, { url }: Webhook, attempt: Omit<WebhookAttempt, 'attempt'>): Span => ({
  ...{ ...span, kind: 'client', startedAt: attempt.at, endedAt: attempt.at + attempt.durationMs },
  failure: attempt.error === null ? null : { code: 'webhook.failed', message: attempt.error },
  attributes: {
    ...span.attributes,
    ...{ 'server.address': URL.parse(url)?.host ?? null, 'http.request.method': 'POST' },
    'http.response.status_code': attempt.status,
  },
})

/** Until the signal; what is under way then may finish. `trouble` hears what the store refuses. */
export async function deliverWebhooks(
  parts: DeliveryParts,
  stopping: AbortSignal,
  trouble: (error: unknown) => void,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const never = new AbortController().signal
  while (!stopping.aborted) {
    const held = await HeldWebhooks.take(parts, mostAtOnce - underWay.size).catch(trouble)
    for (const sent of held ? sending(parts, held, never) : []) {
      const done: Promise<void> = sent.catch(trouble).finally(() => underWay.delete(done))
      underWay.add(done)
    }
    await rest(parts, underWay, stopping)
  }
  await Promise.all(underWay)
}

/** Until something may be due, or, when all hands are full, one of them is free. */
async function rest(
  { clock, onNews }: DeliveryParts,
  underWay: Set<Promise<void>>,
  stopping: AbortSignal,
): Promise<void> {
  if (underWay.size >= mostAtOnce) return Promise.race(underWay)
  const news = new AbortController()
  const deaf = onNews?.(() => news.abort())
  await clock.sleep(lookEveryMs, AbortSignal.any([stopping, news.signal])).catch(() => {})
  deaf?.()
}

/**
 * Continues until every webhook of a job is sent, or `withinMs` are over: for a process that ends with the job. The rest stays in the
 * outbox.
 */
export async function deliverForJob(
  parts: DeliveryParts,
  jobId: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { outbox, clock } = parts
  const until = clock.now() + withinMs
  for (;;) {
    await deliverDue(parts, signal)
    const [waiting] = await outbox.list({ jobId, states: ['pending'], limit: 1 })
    if (!waiting || signal.aborted) return
    const restMs = (waiting.nextAt ?? 0) - clock.now()
    if (clock.now() + restMs > until) return
    await clock.sleep(Math.max(1, restMs), signal).catch(() => {})
  }
}
