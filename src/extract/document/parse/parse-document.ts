// Parses a page: with the fast parser where it is sure of the tree, with parse5 where it is not.

import { Failure } from '../../../model/failures.ts'
import { FlatDocument } from '../flat-document.ts'
import type { ParsedRecords } from '../records.ts'
import { type FlatParse, parseFlat } from './flat-parser.ts'
import { parseBySpec } from './spec-parser.ts'

export interface ParseOptions {
  /** `auto`: flat, and parse5 when unsure. `spec`: always parse5. `flat`: never, a fair guess where unsure. */
  parser?: 'auto' | 'spec' | 'flat'
}

/** parse5 takes a second and some 400 MB for so many characters of hostile markup. */
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

/** Pages whose tags are in order need one pass; for the others, a second one moves nodes as the standard says. */
function parseInOrder(page: string): FlatParse {
  const flat = parseFlat(page, true)
  return flat.doubt === null ? flat : parseFlat(page, true, true)
}

/** Null when the page is too much for parse5; a fair guess is better than no page. */
function tryBySpec(page: string): ParsedRecords | null {
  if (page.length > maxFallbackLength) return null
  try {
    return parseBySpec(page)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** It marks the encoding and is no part of the page; left in, it would count as text and begin the body. */
function withoutByteOrderMark(source: string): string {
  return source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
}
