// Parses a page with the fast parser, or with parse5 if the fast parser is unsure.

import { Failure } from '../../../model/failures.ts'
import { FlatDocument } from '../flat-document.ts'
import type { ParsedRecords } from '../records.ts'
import { type FlatParse, parseFlat } from './flat-parser.ts'
import { parseBySpec } from './spec-parser.ts'

interface ParseOptions {
  /** `auto`: the fast parser, or parse5 if that is unsure. `spec`: always parse5. `flat`: always the fast parser, even
   *  if it is unsure. */
  parser?: 'auto' | 'spec' | 'flat'
}

/** Longest page in characters that is passed to parse5. For hostile markup of this length, parse5 takes a second and
 *  about 400 MB. */
const maxFallbackLength = 4_000_000

export function parseDocument(source: string, { parser = 'auto' }: ParseOptions = {}): FlatDocument {
  const page = withoutByteOrderMark(source)
  if (parser === 'spec') return new FlatDocument(source, 'spec', null, parseBySpec(page))
  const flat = parseInOrder(page)
  if (flat.doubt === null) return new FlatDocument(source, 'flat', null, flat)
  const spec = parser === 'auto' ? tryBySpec(page) : null
  if (spec !== null) return new FlatDocument(source, 'spec', flat.doubt, spec)
  return new FlatDocument(source, 'flat', flat.doubt, parseFlat(page, false))
}

/** Well-formed pages need one pass. For others, a second pass moves nodes as the HTML standard requires. */
function parseInOrder(page: string): FlatParse {
  const flat = parseFlat(page, true)
  return flat.doubt === null ? flat : parseFlat(page, true, true)
}

/** Null if the page exceeds the limits for parse5. The caller then uses the tree of the fast parser. */
function tryBySpec(page: string): ParsedRecords | null {
  if (page.length > maxFallbackLength) return null
  try {
    return parseBySpec(page)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Removes a byte order mark, which would otherwise count as text and start the body. */
function withoutByteOrderMark(source: string): string {
  return source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
}
