// Sends webhooks from this process, through the egress gate and signed with the operator's secrets.
import type { Settings } from '../../config/settings.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { traceFields } from '../../lib/traces/trace-fields.ts'
import { asFailure } from '../../model/failures.ts'
import {
  type Delivery,
  type DeliveryParts,
  deliverForJob,
  deliverWebhooks,
} from '../../pipeline/coordinate/outputs/deliver-webhooks.ts'
import type { Store } from '../../ports/store.ts'
import type { Traces } from '../../ports/traces.ts'
import { theirHeaders } from '../../server/api/firecrawl/notify.ts'
import type { Log, ServerParts } from '../../server/parts.ts'
import { armFaultPoint } from '../fault-point.ts'
import { openOwnHttp } from './own-http.ts'
import { withMail } from './send-mail.ts'

/** How long a process that exits after its jobs waits for deliveries: long enough for the first three retries. */
const stayMs = 20_000

type SendSettings = Pick<
  Settings,
  | 'allowPrivate'
  | 'caFile'
  | 'userAgent'
  | 'contact'
  | 'webhookSecret'
  | 'webhookUrl'
  | 'webhookWaits'
  | 'killPoint'
  | 'smtpUrl'
  | 'smtpFrom'
>

interface SendParts {
  store: Pick<Store, 'outbox' | 'jobs'>
  settings: SendSettings
  traces: Traces
}

function openDelivery({ store, settings, traces }: SendParts): DeliveryParts & AsyncDisposable {
  const { allowPrivate, webhookSecret = [] } = settings
  const http = openOwnHttp(settings, allowPrivate)
  return {
    ...{ outbox: store.outbox, jobs: store.jobs, traces, clock: systemClock },
    ...{ fetch: withMail(http.fetch, settings), secrets: webhookSecret },
    waitsMs: settings.webhookWaits,
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

/** A service loop; runs until the signal is aborted. */
export async function sendWebhooks(
  parts: SendParts & Pick<ServerParts, 'log' | 'engine' | 'sealer' | 'store' | 'metrics'>,
  stopping: AbortSignal,
): Promise<void> {
  const { log, settings, engine, metrics } = parts
  if (settings.webhookUrl !== undefined) warnOfClosedPlace(log, settings, settings.webhookUrl)
  await using delivery = openDelivery(parts)
  const headersFor = theirHeaders(parts)
  const tell = (told: Delivery) => {
    logDelivery(log, told)
    metrics.hear('webhook.tried', { outcome: told.state })
  }
  const onNewWebhook = (listener: () => void) => engine.listen(name => name === 'job.moved' && listener())
  const mark = armFaultPoint(settings.killPoint)
  await deliverWebhooks({ ...delivery, mark, tell, onNewWebhook, headersFor }, stopping, error =>
    log.error({ err: asFailure(error) }, 'webhooks could not be read from the store, or updated there'),
  )
}

/** Warns at the start if SCRAPER_WEBHOOK_URL is a refused address, because every delivery would fail. */
function warnOfClosedPlace(log: Log, { allowPrivate }: SendSettings, url: string): void {
  try {
    new EgressGate({ allowPrivate }).judgeUrl(url)
  } catch (error) {
    log.error({ err: asFailure(error) }, 'no webhook will reach SCRAPER_WEBHOOK_URL')
  }
}

export function logDelivery(log: Log, { webhook, attempt, state, nextAt, traceparent }: Delivery): void {
  const fields = {
    ...traceFields(traceparent),
    ...{ webhook_id: webhook.id, job_id: webhook.jobId, target_domain: URL.parse(webhook.url)?.host ?? null },
    ...{ status: attempt.status, duration_ms: attempt.durationMs, attempt: webhook.attempts + 1 },
  }
  const failed = { ...fields, error_reason: attempt.error }
  if (state === 'delivered') log.info(fields, 'a webhook was delivered')
  else if (state === 'dead') log.error(failed, 'a webhook failed after its last retry; it can be replayed')
  else
    log.warn({ ...failed, next_at: nextAt && new Date(nextAt).toISOString() }, 'a webhook was not accepted')
}

/** For a process that exits after its jobs: delivers their webhooks. Undelivered ones stay in the outbox for `kscrape serve`. */
export async function deliverBeforeExit(
  parts: SendParts,
  jobIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (jobIds.length === 0) return
  await using delivery = openDelivery(parts)
  for (const jobId of jobIds) await deliverForJob(delivery, jobId, stayMs, signal)
}
