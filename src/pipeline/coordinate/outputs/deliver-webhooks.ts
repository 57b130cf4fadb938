// Sends webhooks of the outbox when they are due, several at a time, and stores the outcome.
import { type PostParts, postWebhook } from '../../../deliver/post-webhook.ts'
import { afterTry } from '../../../deliver/retry-webhook.ts'
import { isSampled } from '../../../lib/traces/trace-context.ts'
import type { Job } from '../../../model/job.ts'
import type { Span } from '../../../model/trace.ts'
import type { Webhook, WebhookAttempt } from '../../../model/webhook.ts'
import type { OutboxStore } from '../../../ports/service-stores.ts'
import type { JobStore } from '../../../ports/store.ts'
import type { Traces } from '../../../ports/traces.ts'
import type { Mark } from '../context.ts'
import { partOfJob } from '../spans.ts'
import { LeasedWebhooks } from './leased-webhooks.ts'

export interface DeliveryParts extends PostParts {
  outbox: OutboxStore
  /** The wait before each retry, in ms. Default: the usual schedule. */
  waitsMs?: readonly number[] | undefined
  mark?: Mark
  /** Finds the job of a webhook, for its trace. If unset, deliveries are not traced. */
  jobs?: Pick<JobStore, 'brief'>
  traces?: Traces
  /** Called for every attempt that was stored. */
  tell?: (told: Delivery) => void
  /** Calls the listener when a webhook may be due. Returns a function that removes the listener. If unset, new webhooks
   *  wait for the next check. */
  onNewWebhook?: (listener: () => void) => () => void
}

export interface Delivery {
  webhook: Webhook
  attempt: Omit<WebhookAttempt, 'attempt'>
  state: Webhook['state']
  nextAt: number | null
  /** The span of this attempt if it is traced, else the span of its job. */
  traceparent: string | null
}

/** Limit of deliveries at the same time. It is high, because a receiver that does not respond occupies a delivery for
 *  ten seconds. */
const mostAtOnce = 32
/** How often to look for due webhooks that other processes or a replay have added. */
const lookEveryMs = 1_000

/** Sends the webhooks that are due now, each once, and returns their number. */
export async function deliverDue(parts: DeliveryParts, signal: AbortSignal): Promise<number> {
  const held = await LeasedWebhooks.take(parts, mostAtOnce)
  await Promise.all(sending(parts, held, signal))
  return held.webhooks.length
}

const sending = (parts: DeliveryParts, held: LeasedWebhooks, signal: AbortSignal): Promise<void>[] =>
  held.webhooks.map(webhook => deliver(parts, webhook, signal).finally(() => held.release(webhook)))

async function deliver(parts: DeliveryParts, webhook: Webhook, signal: AbortSignal): Promise<void> {
  parts.mark?.('webhook.after_take_before_send')
  const job = (await parts.jobs?.brief(webhook.jobId).catch(() => null)) ?? null
  const span = parts.traces?.isOn ? spanFor(webhook, job) : null
  const traceparent = span?.traceparent ?? null
  const { isFinal = false, ...attempt } = await postWebhook({ ...parts, traceparent }, webhook, signal)
  if (span) parts.traces?.add(triedSpan(span, webhook, attempt))
  parts.mark?.('webhook.after_send_before_mark')
  // The delivery was aborted because the process stops. It does not count as an attempt. The webhook is due again when
  // the lease ends.
  if (signal.aborted && attempt.error !== null) return
  const after = afterTry({ ...attempt, isFinal }, webhook.attempts, parts.waitsMs)
  await parts.outbox.settle(webhook.id, attempt, after)
  const nextAt = after.state === 'pending' ? after.nextAt : null
  parts.tell?.({
    ...{ webhook, attempt, state: after.state, nextAt },
    traceparent: traceparent ?? job?.traceparent ?? null,
  })
}

function spanFor({ id, attempts }: Webhook, job: Pick<Job, 'id' | 'traceparent'> | null): Span | null {
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

/** Delivers webhooks until `stopping` aborts; deliveries in progress may finish. Calls `trouble` with errors of the store. */
export async function deliverWebhooks(
  parts: DeliveryParts,
  stopping: AbortSignal,
  trouble: (error: unknown) => void,
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  const never = new AbortController().signal
  while (!stopping.aborted) {
    const held = await LeasedWebhooks.take(parts, mostAtOnce - underWay.size).catch(trouble)
    for (const sent of held ? sending(parts, held, never) : []) {
      const done: Promise<void> = sent.catch(trouble).finally(() => underWay.delete(done))
      underWay.add(done)
    }
    await rest(parts, underWay, stopping)
  }
  await Promise.all(underWay)
}

/** Waits until a webhook may be due. If `mostAtOnce` deliveries are in progress, it waits until one has ended. */
async function rest(
  { clock, onNewWebhook }: DeliveryParts,
  underWay: Set<Promise<void>>,
  stopping: AbortSignal,
): Promise<void> {
  if (underWay.size >= mostAtOnce) return Promise.race(underWay)
  const added = new AbortController()
  const deaf = onNewWebhook?.(() => added.abort())
  await clock.sleep(lookEveryMs, AbortSignal.any([stopping, added.signal])).catch(() => {})
  deaf?.()
}

/**
 * Delivers webhooks until no webhook of this job is pending, at most for `withinMs`. Used by a process that ends with
 * the job. Pending webhooks stay in the outbox.
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
