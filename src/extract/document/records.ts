// How a document lies in memory: eight numbers a node, in document order, in one array.

import type { AttributeFilter } from './attribute-filter.ts'

/** Index of a node; 0 is the document itself. A node's subtree is `node` up to, not including, its `end`. */
export type NodeId = number

export const none = -1

/** Deeper nodes become siblings at this depth, as in browsers. Code that walks a document may rely on it. */
export const maxDepth = 512

/** Numbers per node, as a shift: record `node` starts at `node << recordShift`. */
export const recordShift = 3

/** The position of each number in a record. */
export const field = {
  /** Kind in the low three bits, flags above, the number of the name from bit 8. */
  head: 0,
  parent: 1,
  /** The node after the subtree. */
  end: 2,
  /** Start of the node in the markup; for comments, of their text. */
  start: 3,
  /** End of the start tag, of the text or of the comment's text. */
  stop: 4,
  /** Start of the values of `class` and `id`; 0 without a value. */
  classAt: 5,
  idAt: 6,
  previousSibling: 7,
} as const

export const kind = { document: 0, element: 1, text: 2, comment: 3, doctype: 4 } as const
export const kindMask = 7
export const kindNames = ['document', 'element', 'text', 'comment', 'doctype'] as const
export type NodeKind = (typeof kindNames)[number]

export const flag = {
  /** An element of svg or math. */
  foreign: 8,
  /** Text without character references. */
  raw: 16,
  /** Ignored tags are inside the text; `gaps` lists them. */
  gapped: 32,
  /** An element without `rel`; if not set, check the start tag. */
  noRel: 64,
  /** An element with `hidden`, `aria-hidden` or `style`. */
  styled: 128,
  /** An element with `role`, `itemprop` or `itemtype`. Texts use the same bit for `raw`. */
  described: 16,
} as const

export const nameShift = 8

/** The output of a parser; `FlatDocument` reads it. */
export interface ParsedRecords {
  /** The text that offsets point into: the page, or markup serialized by the spec parser. */
  markup: string
  records: Int32Array
  size: number
  /** Names from `firstOwnName` up. */
  ownNames: string[]
  /** Start and stop of each stretch of markup that text skips, ascending. */
  gaps: number[]
  /** Which attribute names occur: see `attribute-filter.ts`. */
  attributeNames: AttributeFilter
  /** Whether a `class` or `id` without a value occurs: records cannot tell it from none. */
  hasBareNames: boolean
  /** Elements with the start of their `href` value, ascending; for others, check the start tag. */
  hrefs: number[]
}
