// Helpers for tests of fetching: a fetcher that may connect to the test's own servers, and a short request function.
import assert from 'node:assert/strict'
import { EgressGate, type HttpFetch, type HttpFetchOptions, openHttpFetch } from '../src/fetch/http/index.ts'
import { Failure, type FailureCode } from '../src/model/failures.ts'
import type { FetchRequest, Page } from '../src/model/page/page.ts'
import type { Fetch } from '../src/ports/fetch.ts'

export const never = new AbortController().signal

export const testTimeouts = { connectMs: 5_000, headersMs: 5_000, idleMs: 5_000, totalMs: 10_000 }

/** A fetcher that may connect only to these servers. */
export function openFetchFor(servers: { url: string }[], options: Partial<HttpFetchOptions> = {}): HttpFetch {
  const allowPrivate = servers.map(({ url }) => new URL(url).host)
  return openHttpFetch({ gate: new EgressGate({ allowPrivate }), userAgent: 'kscrape-test', ...options })
}

export function get(
  fetch: Fetch,
  url: string,
  more: Partial<FetchRequest> = {},
  signal: AbortSignal = never,
): Promise<Page> {
  return fetch({ url, timeouts: testTimeouts, maxBytes: 1_048_576, ...more }, signal)
}

/** Waits for the failure, checks its code, and returns it. */
export async function failing(work: Promise<unknown>, code: FailureCode): Promise<Failure> {
  const error = await work.then(
    () => assert.fail(`expected ${code}, but it worked`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof Failure)) throw error
  assert.equal(error.code, code, error.message)
  return error
}
