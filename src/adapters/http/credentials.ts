// Credentials from an HTTPS backend, by workspace and provider. They are cached in memory and never stored.

import { RecentMap } from '../../lib/collections/recent-map.ts'
import { asFailure, Failure, failures } from '../../model/failures.ts'
import { isObject, jsonIn } from '../../model/json.ts'
import type { Page } from '../../model/page/page.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Fetch } from '../../ports/fetch.ts'
import type { Credential, Credentials } from '../../ports/secrets.ts'

interface BackendParts {
  fetch: Fetch
  clock: Clock
  /** URL of the backend, such as `https://backend.example`. Its path is a prefix. */
  url: string
  serviceKey: string
  /** How long credentials are cached, in milliseconds. */
  ttlMs: number
}

/** Delays before the retries if the backend is unreachable, in milliseconds. */
const retryAfterMs = [1_000, 2_000, 4_000]
/** How long "not found" is cached, so that a thousand tasks cause one request. */
const absentMs = 5_000
const rememberedCredentials = 1_000
const timeouts = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000, totalMs: 15_000 }
const mostBytes = 65_536

interface Remembered {
  answer: Promise<Credential>
  /** The signal of the task that sent the request. If that task is cancelled, the request ends. */
  askedBy: AbortSignal
  until: number
}

export function openBackendCredentials(parts: BackendParts): Credentials {
  const { clock, ttlMs } = parts
  const base = backendUrl(parts.url)
  const known = new RecentMap<string, Remembered>(rememberedCredentials)
  const get: Credentials['get'] = (workspace, provider, signal) => {
    const key = JSON.stringify([workspace, provider])
    const before = known.get(key)
    if (before && clock.now() < before.until)
      return before.answer.catch(error => {
        // The task that sent the request was cancelled. The current task was not, so it sends the request again.
        if (before.askedBy.aborted && !signal.aborted) return get(workspace, provider, signal)
        throw error
      })
    // Concurrent tasks share one request.
    const answer = ask(parts, base, workspace, provider, signal)
    const entry: Remembered = { answer, askedBy: signal, until: Number.POSITIVE_INFINITY }
    known.set(key, entry)
    answer.then(
      () => {
        entry.until = clock.now() + ttlMs
      },
      error => {
        entry.until = asFailure(error).code === 'credential.not-found' ? clock.now() + absentMs : 0
      },
    )
    return answer
  }
  return { get }
}

function backendUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'https:') return text.replace(/\/+$/, '')
  throw new Failure(
    'input.invalid',
    'SCRAPER_CREDENTIALS_URL must be an https:// URL, because credentials need encryption',
  )
}

async function ask(
  parts: BackendParts,
  base: string,
  workspace: string,
  provider: string,
  signal: AbortSignal,
): Promise<Credential> {
  const path = `/api/v1/workspaces/${encodeURIComponent(workspace)}/credentials/${encodeURIComponent(provider)}`
  for (let attempt = 0; ; attempt += 1)
    try {
      return await askOnce(parts, `${base}${path}`, workspace, provider, signal)
    } catch (error) {
      const waitMs = retryAfterMs[attempt]
      if (waitMs === undefined || asFailure(error).code !== 'credential.unavailable' || isFinal(error))
        throw error
      await parts.clock.sleep(waitMs, signal)
    }
}

async function askOnce(
  { fetch, serviceKey }: BackendParts,
  url: string,
  workspace: string,
  provider: string,
  signal: AbortSignal,
): Promise<Credential> {
  const request = {
    ...{ url, timeouts, maxBytes: mostBytes },
    headers: { 'x-service-key': serviceKey, accept: 'application/json' },
    beforeHop: async () => {
      throw unavailable('its response was a redirect, and redirects are not followed', { isFinal: true })
    },
  }
  const page = await fetch(request, signal).catch(error => {
    throw unreachable(error)
  })
  if (page.status === 200) return fieldsOf(page, provider)
  if (page.status === 404) throw notFound(workspace, provider)
  if (page.status === 401 || page.status === 403)
    throw unavailable(`it answered ${page.status}: it rejects the key (SCRAPER_CREDENTIALS_KEY)`, {
      isFinal: true,
    })
  throw unavailable(`it answered ${page.status}`, { isFinal: page.status < 500 && page.status !== 429 })
}

/** Uses our own message. The message of a library may contain headers, and a header contains the service key. */
function unreachable(error: unknown): Failure {
  const failure = asFailure(error)
  if (failure.code === 'credential.unavailable' || failure.code === 'worker.stopping') return failure
  return unavailable(failure.code, {
    isFinal: failures[failure.code].retry === 'never' && failure.code !== 'dns.not-found',
  })
}

const unavailable = (why: string, details: { isFinal: boolean }): Failure =>
  new Failure('credential.unavailable', `the credentials backend failed: ${why}`, details)

const isFinal = (error: unknown): boolean => asFailure(error).details.isFinal === true

const notFound = (workspace: string, provider: string): Failure =>
  new Failure('credential.not-found', `workspace "${workspace}" has no credentials for "${provider}"`, {
    workspace,
    provider,
  })

/** The fields may be at the top level, in `data`, or in `data.credentials`. */
function fieldsOf({ body }: Page, provider: string): Credential {
  const answer = inner(inner(asObject(jsonIn(body.toString('utf8'))), 'data'), 'credentials')
  const entries = Object.entries(answer ?? {}).filter(([, value]) => value !== null)
  if (answer === null || entries.length === 0)
    throw unavailable('its response has no fields', { isFinal: true })
  const nested = entries.find(([, value]) => typeof value === 'object')
  if (nested)
    throw unavailable(`its response for "${provider}" has a field "${nested[0]}" that is not text`, {
      isFinal: true,
    })
  return Object.freeze(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])))
}

const asObject = (value: unknown): Record<string, unknown> | null => (isObject(value) ? value : null)

const inner = (value: Record<string, unknown> | null, name: string): Record<string, unknown> | null =>
  asObject(value?.[name]) ?? value
