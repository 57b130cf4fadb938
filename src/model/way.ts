// By which way a page is had.
import type { PageWarning } from './page-warning.ts'

/** Asked for plainly, or by a browser. */
export const taskWays = ['http', 'browser'] as const
export type TaskWay = (typeof taskWays)[number]

/** How the page of a record was had, why so, and which files came with it. */
export interface PageWay {
  way: TaskWay
  why?: string
  /** Names of its artifacts. */
  artifacts?: string[]
  /** Warnings about the record. */
  warnings?: PageWarning[]
}
