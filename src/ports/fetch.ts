// Fetch: requests one page. The result is the page or a Failure.
import type { FetchRequest, Page } from '../model/page/page.ts'

/**
 * Fetches one page. Guarantees:
 * - Resolves with any HTTP status once the whole body is received and decoded; never with a partial body.
 * - Rejects with a `Failure` (never a bare error) for everything else. Its code says what went wrong.
 * - Never connects to an address that the egress gate refuses, on any hop.
 * - Honours `signal` at every await; an aborted request frees its socket.
 * - Repeats a request only if a kept-alive socket closed before the first byte of the response.
 */
export type Fetch = (request: FetchRequest, signal: AbortSignal) => Promise<Page>

/** Wraps a fetch and returns a fetch with the same guarantees. */
export type FetchLayer = (fetch: Fetch) => Fetch
