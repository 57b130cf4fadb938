// Fetch: one page or a Failure.
import type { FetchRequest, Page } from '../model/page/page.ts'

/**
 * Brings one page. Promises:
 * - Resolves with any HTTP status once the whole body is there and decoded; never with half a body.
 * - Rejects with a `Failure` (never a bare error) for everything else, the code telling what it means.
 * - No address is connected to that the egress gate refuses, on any hop.
 * - Honours `signal` at every await; an aborted request frees its socket.
 * - Repeats a request only when a kept-alive socket turned out dead before a byte of the answer.
 */
export type Fetch = (request: FetchRequest, signal: AbortSignal) => Promise<Page>

/** Behaviour around a fetch: what it returns keeps the same promises. */
export type FetchLayer = (fetch: Fetch) => Fetch
