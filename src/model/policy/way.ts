// The fetch mode of a page.
import type { PageWarning } from '../page/page-warning.ts'

/** Fetched over HTTP, or with a browser. */
export const taskWays = ['http', 'browser'] as const
export type TaskWay = (typeof taskWays)[number]

/** `quiet`: the page settled. `content`: it was quiet before its content arrived. `deadline`: neither in time. */
export type Settled = 'quiet' | 'content' | 'deadline'

/** How the page of a record was fetched, why, and its files. */
export interface PageWay {
  way: TaskWay
  why?: string
  /** How the browser's wait for its content ended. */
  settled?: Settled
  /** Names of its artifacts. */
  artifacts?: string[]
  /** Warnings about the record. */
  warnings?: PageWarning[]
}
