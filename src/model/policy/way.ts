// The fetch mode of a page.
import type { PageWarning } from '../page/page-warning.ts'

/** The fetch modes: over HTTP, or with a browser. */
export const taskWays = ['http', 'browser'] as const
export type TaskWay = (typeof taskWays)[number]

/** How the browser's wait for the content of a page ended. `quiet`: the page stopped loading and had content.
 *  `content`: it stopped loading while it was empty, and content arrived later. `deadline`: the deadline came first. */
export type Settled = 'quiet' | 'content' | 'deadline'

/** How the page of a record was fetched, why, and its files. */
export interface PageWay {
  way: TaskWay
  why?: string
  settled?: Settled
  /** Names of the page's artifacts. */
  artifacts?: string[]
  /** Warnings about the record. */
  warnings?: PageWarning[]
}
