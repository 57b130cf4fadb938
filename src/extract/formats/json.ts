// JSON responses: parsed, with the data in the record.
import { jsonExcess } from '../../lib/json-scan.ts'
import type { Extracted, Json } from '../../model/record.ts'
import type { PageNotes } from '../default-record.ts'
import { otherRecord } from './other-record.ts'

/** Code that walks the data later uses the stack. A value takes some 60 bytes of memory, however short it is written. */
const limits = { values: 2_000_000, depth: 200 }

export interface ReadJson {
  value: Json | undefined
  /** Why there is no value. */
  why: string
}

export function readJson(text: string): ReadJson {
  const excess = jsonExcess(text, limits)
  if (excess) return { value: undefined, why: excess.words }
  try {
    // A byte order mark is no part of JSON, and often there.
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
