// browser-connection: the scraper id of jobs of /cdp and /playwright. The lane connects the browser to a client instead of
// running code.
import * as z from 'zod'
import { Failure } from '../../model/failures.ts'
import { defineScraper } from '../define-scraper.ts'

/** The input row of a job of /cdp or /playwright. The API process writes it, so it is not validated again. */
export interface ConnectionInput {
  connectionId: string
  protocol: 'cdp' | 'playwright'
  /** Limits of the connection: time in milliseconds, received bytes, open pages. */
  maxMs: number
  maxBytes: number
  maxPages: number
  /** Whether the client may use the user agent of a browser (consent `browser_headers`). */
  mayBeBrowser: boolean
  /** Whether the client may bring headers, logins and cookies (consent `credentials`). */
  mayUseCredentials: boolean
}

export const browserConnection = defineScraper({
  id: 'browser-connection',
  name: 'Browser connection',
  description: 'A browser that a client drives through /cdp or /playwright.',
  output: z.object({
    connection_id: z.string(),
    /** Why the connection ended: client, time or stopped. */
    ended: z.string(),
    duration_ms: z.number(),
    pages: z.number(),
    documents: z.number(),
    refused: z.number(),
    bytes_received: z.number(),
    bytes_sent: z.number(),
  }),
  run() {
    throw notForJobs()
  },
})

/** The error for other jobs that name this scraper. The row contains the limits of the connection, so only the service may write
 *  it. */
export const notForJobs = (): Failure =>
  new Failure(
    'input.invalid',
    'scraper_id: browser-connection cannot be used in a job; connect a client to /cdp or /playwright (docs/browser-connections.md)',
    { path: 'scraper_id' },
  )
