// Links as they travel: found in a page, canonicalised and judged in the lane, added to the store.
import type { Reason } from '../task.ts'

/** Links that passed scope and trap guards; what was refused is only counted. */
export interface AdmittedLinks {
  urls: string[]
  hosts: string[]
  /** 64-bit keys, one per URL. */
  keys: BigInt64Array
  /** What a scraper passes to the tasks, one per URL; nothing for links that were only found. */
  inputs?: Array<string | null>
  refused: Partial<Record<Reason, number>>
}
