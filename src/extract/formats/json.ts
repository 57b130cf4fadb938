// Records of JSON responses. The parsed data is in the record.
import { jsonExcess } from '../../lib/json/json-scan.ts'
import type { Extracted, Json } from '../../model/record.ts'
import type { PageNotes } from '../default-record.ts'
import { otherRecord } from './other-record.ts'

/** Limits of the data, because later code walks it recursively and each value takes about 60 bytes of memory. */
const limits = { values: 2_000_000, depth: 200 }

export interface ReadJson {
  value: Json | undefined
  /** The reason why `value` is undefined; empty if there is a value. */
  why: string
}

export function readJson(text: string): ReadJson {
  const excess = jsonExcess(text, limits)
  if (excess) return { value: undefined, why: excess.words }
  try {
    // Remove a byte order mark, which is common but not part of JSON.
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) as Json, why: '' }
  } catch (error) {
    return { value: undefined, why: `it is not JSON: ${(error as Error).message.slice(0, 200)}` }
  }
}

export function jsonRecord(
  page: PageNotes,
  contentType: string,
  text: string,
  { value, why }: ReadJson,
): Extracted {
  const found = { text, content_type: contentType, data: value ?? null }
  return otherRecord(page, found, why ? { data: why } : { data: 'the data is null' })
}
