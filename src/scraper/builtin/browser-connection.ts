// browser-connection: what jobs of /cdp and /playwright are called. The lane hands their browser to a client in place of running code.
import * as z from 'zod'
import { Failure } from '../../model/failures.ts'
import { defineScraper } from '../define-scraper.ts'

/** The row of such a job. The API process writes it, so it is not checked again. */
export interface ConnectionInput {
  connectionId: string
  protocol: 'cdp' | 'playwright'
  /** Limits of the connection. */
  maxMs: number
  maxBytes: number
  maxPages: number
}

export const browserConnection = defineScraper({
  id: 'browser-connection',
  name: 'Browser connection',
  description: 'A browser that a client drives through /cdp or /playwright.',
  output: z.object({
    connection_id: z.string(),
    /** Why it ended: client, time, stopped. */
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

/** The limits of a connection are in its row, so only the service may write one. */
export const notForJobs = (): Failure =>
  new Failure(
    'input.invalid',
    'scraper_id: browser-connection is no scraper for jobs; connect a client to /cdp or /playwright (docs/browser-connections.md)',
    { path: 'scraper_id' },
  )
