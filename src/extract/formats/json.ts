// JSON responses: parsed, with the data in the record.
import type { Extracted, Json } from '../../model/record.ts'
import type { PageNotes } from '../default-record.ts'
import { otherRecord } from './other-record.ts'

/** Deeper than any data means: whoever walks it later does so with a stack. */
const maxNesting = 200

export interface ReadJson {
  value: Json | undefined
  /** Why there is no value. */
  why: string
}

export function readJson(text: string): ReadJson {
  if (isDeeperThan(text, maxNesting))
    return { value: undefined, why: `nested deeper than ${maxNesting} levels` }
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

function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 92) at++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 91 || code === 123) {
      if (++depth > limit) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}
