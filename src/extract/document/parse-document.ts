// Parses a page: with the fast parser where it is sure of the tree, with parse5 where it is not.

import { FlatDocument } from './flat-document.ts'
import { parseFlat } from './flat-parser.ts'
import { parseBySpec } from './spec-parser.ts'

export interface ParseOptions {
  /** `auto`: flat, and parse5 when unsure. `spec`: always parse5. `flat`: never, a fair guess where unsure. */
  parser?: 'auto' | 'spec' | 'flat'
}

export function parseDocument(source: string, { parser = 'auto' }: ParseOptions = {}): FlatDocument {
  const page = withoutByteOrderMark(source)
  if (parser === 'spec') return new FlatDocument(source, 'spec', null, parseBySpec(page))
  const flat = parseFlat(page, parser === 'auto')
  if (flat.doubt === null || parser === 'flat') return new FlatDocument(source, 'flat', flat.doubt, flat)
  return new FlatDocument(source, 'spec', flat.doubt, parseBySpec(page))
}

/** It marks the encoding and is no part of the page; left in, it would count as text and begin the body. */
function withoutByteOrderMark(source: string): string {
  return source.charCodeAt(0) === 0xfeff ? source.slice(1) : source
}
