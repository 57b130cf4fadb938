// By which way a page is had.
import type { PageWarning } from '../page/page-warning.ts'

/** Asked for plainly, or by a browser. */
export const taskWays = ['http', 'browser'] as const
export type TaskWay = (typeof taskWays)[number]

/** `quiet`: the page came to rest. `content`: it was at rest before its content came. `deadline`: neither in time. */
export type Settled = 'quiet' | 'content' | 'deadline'

/** How the page of a record was had, why so, and which files came with it. */
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
