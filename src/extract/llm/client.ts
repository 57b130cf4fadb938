// A client of the chat API that most models support. It sends one question and expects one answer with a given schema.
// It offers the model no tools.
import { objectIn } from '../../model/json.ts'
import type { Json } from '../../model/record.ts'

export interface LlmSettings {
  /** URL up to the version, such as `https://llm.example/v1`. Set by the operator, never by a job. */
  baseUrl: string
  apiKey: string | null
  model: string
}

export interface LlmLimits {
  /** Timeout of one request. */
  timeoutMs: number
  attempts: number
  /** Wait before the second attempt. It doubles before each further attempt. */
  waitMs: number
}
export const defaultLimits: LlmLimits = { timeoutMs: 30_000, attempts: 3, waitMs: 500 }

export interface Question {
  system: string
  user: string
  schema: { [key: string]: Json }
  maxTokens: number
}

/** The answer and the number of tokens, or the reason why there is no answer. */
type ModelAnswer = { content: string; tokens: number } | { why: string; tokens?: number }

type Attempt = ModelAnswer | { again: string; afterMs: number | null }

/** Maximum wait before a retry. A longer wait in a Retry-After header is shortened to this. */
const maxWaitMs = 10_000
const maxAnswerBytes = 1_000_000

/** Throws only if `signal` is aborted. */
export async function askModel(
  settings: LlmSettings,
  question: Question,
  limits: LlmLimits,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt++) {
    const result = await tryOnce(settings, question, limits.timeoutMs, signal)
    signal.throwIfAborted()
    if (!('again' in result)) return result
    if (attempt >= limits.attempts) return { why: result.again }
    const waitMs = result.afterMs ?? limits.waitMs * 2 ** (attempt - 1)
    await pause(Math.min(waitMs, maxWaitMs), signal)
  }
}

/** The body of an error response is not reported, because some servers repeat the API key in it. */
async function tryOnce(
  settings: LlmSettings,
  question: Question,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const response = await fetch(`${settings.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: headersOf(settings),
      body: JSON.stringify(bodyOf(settings.model, question)),
      // Redirects are refused, so that the API key goes only to the configured endpoint.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (response.ok) return answerIn(await readBounded(response), question)
    await response.body?.cancel()
    const why = `the model's endpoint answered ${response.status}`
    const isPassing = response.status === 429 || response.status >= 500
    return isPassing ? { again: why, afterMs: retryAfterMs(response) } : { why }
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError'
    return {
      again: isLate ? `no answer within ${timeoutMs} ms` : "the model's endpoint can't be reached",
      afterMs: null,
    }
  }
}

const headersOf = ({ apiKey }: LlmSettings): Record<string, string> => ({
  'content-type': 'application/json',
  ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
})

const bodyOf = (model: string, { system, user, schema, maxTokens }: Question): Json => ({
  model,
  temperature: 0,
  max_tokens: maxTokens,
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
})

function answerIn(text: string | null, question: Question): ModelAnswer {
  if (text === null) return { why: `the model's answer is longer than ${maxAnswerBytes} bytes` }
  const { choices, usage } = objectIn(text) as {
    choices?: Array<{ message?: { content?: unknown } }>
    usage?: { total_tokens?: unknown }
  }
  const content = choices?.[0]?.message?.content
  const said = usage?.total_tokens
  const tokens =
    typeof said === 'number' && said >= 0 ? Math.ceil(said) : estimatedTokens(question) + tokensIn(text)
  return typeof content === 'string'
    ? { content, tokens }
    : { why: "the model's answer has no message", tokens }
}

async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxAnswerBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

/** An upper estimate of the number of tokens: a token is rarely shorter than three characters. */
const tokensIn = (text: string): number => Math.ceil(text.length / 3)

/** An upper estimate of the cost in tokens, before the request. */
export const estimatedTokens = ({ system, user, schema, maxTokens }: Question): number =>
  tokensIn(system + user + JSON.stringify(schema)) + maxTokens

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = (): void => {
    clearTimeout(timer)
    reject(signal.reason)
  }
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', stop)
    resolve()
  }, ms)
  signal.addEventListener('abort', stop, { once: true })
  return promise
}
