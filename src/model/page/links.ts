// The links of a page, as the lane reports them: canonicalized and checked.
import type { Reason } from '../task.ts'

/** Links that passed the scope and trap checks. Refused links are only counted. */
export interface AdmittedLinks {
  urls: string[]
  hosts: string[]
  /** 64-bit keys, one per URL. */
  keys: BigInt64Array
  /** The input that a scraper passes to each new task, one per URL; null for a plain link. Unset if no link has an input. */
  inputs?: Array<string | null>
  refused: Partial<Record<Reason, number>>
}
