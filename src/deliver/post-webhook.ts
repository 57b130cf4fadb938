// One attempt to deliver a webhook: a signed POST with a timeout of ten seconds. Redirects are not followed.
import { asFailure, type Failure, type FailureCode } from '../model/failures.ts'
import type { Timeouts } from '../model/policy/policy.ts'
import type { Webhook } from '../model/webhook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Fetch } from '../ports/fetch.ts'
import type { Tried } from './retry-webhook.ts'
import { firecrawlSignature, webhookHeaders } from './sign-webhook.ts'

export interface PostParts {
  /** Sends the request through the egress gate, like every request. */
  fetch: Fetch
  clock: Clock
  /** The secrets for signatures, newest first. */
  secrets: readonly string[]
  timeoutMs?: number
  /** Additional headers, which never replace ours. */
  headersFor?: (webhook: SentWebhook) => Promise<Record<string, string>>
  /** Trace context of this attempt. It is sent, so that the receiver can continue the trace. */
  traceparent?: string | null
}

type SentWebhook = Pick<Webhook, 'id' | 'url' | 'body' | 'event' | 'jobId'>

const webhookTimeoutMs = 10_000
/** Limit of the response body. It is read but not used. */
const maxAnswerBytes = 1_048_576

export async function postWebhook(
  parts: PostParts,
  webhook: SentWebhook,
  signal: AbortSignal,
): Promise<Tried> {
  const { fetch, clock, secrets, timeoutMs = webhookTimeoutMs } = parts
  const { id, url, body } = webhook
  const at = clock.now()
  const beside = await parts.headersFor?.(webhook).catch(() => ({}))
  const signed = firecrawlSigned(webhook, secrets)
  const headers = {
    ...beside,
    'content-type': 'application/json',
    ...(parts.traceparent && { traceparent: parts.traceparent }),
    ...webhookHeaders({ id, body, at }, secrets),
    ...signed,
  }
  const request = { url, method: 'POST', headers, body, maxRedirects: 0 } as const
  try {
    const limits = { timeouts: timeoutsOf(timeoutMs), maxBytes: maxAnswerBytes }
    const { status } = await fetch({ ...request, ...limits }, signal)
    return { at, durationMs: clock.now() - at, ...verdictOn(status) }
  } catch (error) {
    const failure = asFailure(error)
    const isFinal = failure.code === 'address.refused'
    return { at, durationMs: clock.now() - at, status: null, error: wordsOf(failure), isFinal }
  }
}

const firecrawlSigned = ({ event, body }: SentWebhook, secrets: readonly string[]) =>
  event === 'firecrawl' ? firecrawlSignature(body, secrets) : {}

const timeoutsOf = (ms: number): Timeouts => ({ connectMs: ms, headersMs: ms, idleMs: ms, totalMs: ms })

function verdictOn(status: number): Pick<Tried, 'status' | 'error' | 'isFinal'> {
  if (status >= 200 && status < 300) return { status, error: null }
  if (status === 410) return { status, error: 'answered 410: it is permanently gone', isFinal: true }
  return { status, error: `answered ${status}` }
}

const words: Partial<Record<FailureCode, string>> = {
  'redirect.too-many': 'answered with a redirect, and webhooks follow none',
}

const wordsOf = ({ code, message }: Failure): string => `${code}: ${words[code] ?? message}`
