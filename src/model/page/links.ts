// Links from a page to the store: found, canonicalized and checked in the lane.
import type { Reason } from '../task.ts'

/** Links that passed scope and trap checks; refused ones are only counted. */
export interface AdmittedLinks {
  urls: string[]
  hosts: string[]
  /** 64-bit keys, one per URL. */
  keys: BigInt64Array
  /** What a scraper passes to the tasks, one per URL; nothing for links that were only found. */
  inputs?: Array<string | null>
  refused: Partial<Record<Reason, number>>
}
