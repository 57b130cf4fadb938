// The memory layout of a document: eight numbers per node, in document order, in one array.

import type { AttributeFilter } from './attribute-filter.ts'

/** Index of a node; 0 is the document itself. The subtree of a node is the range from `node` to before its `end`. */
export type NodeId = number

export const none = -1

/** Maximum depth of a document. As in browsers, deeper nodes become siblings at this depth. Code that walks a document
 *  may rely on it. */
export const maxDepth = 512

/** Each node has `1 << recordShift` numbers, so the record of `node` starts at `node << recordShift`. */
export const recordShift = 3

/** The position of each number in a record. */
export const field = {
  /** Kind in the lowest three bits, flags above it, the number of the tag name from bit 8 on. */
  head: 0,
  parent: 1,
  /** The first node after the subtree. */
  end: 2,
  /** Start of the node in the markup. For comments, start of their text. */
  start: 3,
  /** End of the start tag, of the text, or of the comment's text. */
  stop: 4,
  /** Start of the values of `class` and `id`; 0 if there is no value. */
  classAt: 5,
  idAt: 6,
  previousSibling: 7,
} as const

export const kind = { document: 0, element: 1, text: 2, comment: 3, doctype: 4 } as const
export const kindMask = 7
export const kindNames = ['document', 'element', 'text', 'comment', 'doctype'] as const
export type NodeKind = (typeof kindNames)[number]

export const flag = {
  /** The element is inside svg or math. */
  foreign: 8,
  /** The text has no character references. */
  raw: 16,
  /** The text node contains ignored tags in its markup. `gaps` lists their ranges. */
  gapped: 32,
  /** The element has no `rel`. If the flag is not set, check the start tag. */
  noRel: 64,
  /** The element has `hidden`, `aria-hidden` or `style`. */
  styled: 128,
  /** The element has `role`, `itemprop` or `itemtype`. For texts, the same bit means `raw`. */
  described: 16,
} as const

export const nameShift = 8

/** The output of a parser, which `FlatDocument` reads. */
export interface ParsedRecords {
  /** The text to which positions refer: the page, or the markup that the spec parser serialized. */
  markup: string
  records: Int32Array
  size: number
  /** Tag names that are not in HTML. Their numbers start at `firstOwnName`. */
  ownNames: string[]
  /** Ranges of markup inside texts that do not belong to the text, such as ignored tags. Pairs of start and
   *  stop, ascending. */
  gaps: number[]
  /** Filter of the attribute names on the page (`attribute-filter.ts`). */
  attributeNames: AttributeFilter
  /** True if the page has a `class` or `id` without a value. In the records, such an attribute looks like a missing
   *  one. */
  hasBareNames: boolean
  /** Pairs of an element and the start of its `href` value, ascending. For other elements, check the start tag. */
  hrefs: number[]
}
