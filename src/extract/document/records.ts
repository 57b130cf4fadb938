// How a document lies in memory: eight numbers a node, in document order, in one array.

/** Index of a node; 0 is the document itself. A node's subtree is `node` up to, not including, its `end`. */
export type NodeId = number

export const none = -1

/** What a page nests deeper hangs here, side by side, as in browsers: whoever walks a document may count on it. */
export const maxDepth = 512

/** Numbers per node, as a shift: record `node` starts at `node << recordShift`. */
export const recordShift = 3

/** Where in a record each number is. */
export const field = {
  /** Kind in the low three bits, flags above, the number of the name from bit 8. */
  head: 0,
  parent: 1,
  /** The node after the subtree. */
  end: 2,
  /** Where the node starts in the markup; for comments, where their text starts. */
  start: 3,
  /** Where the start tag, the text or the comment's text ends. */
  stop: 4,
  /** Where the value of `class` and of `id` starts; 0 when there is none. */
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
  /** Text taken as it stands: no character references. */
  raw: 16,
  /** Ignored tags lie inside the text; `gaps` says where. */
  gapped: 32,
  /** An element without `rel`; where it is not set, the start tag says. */
  noRel: 64,
} as const

export const nameShift = 8

/** What a parser hands over; `FlatDocument` reads it. */
export interface ParsedRecords {
  /** What the offsets point into: the page itself, or its markup written anew by the spec parser. */
  markup: string
  records: Int32Array
  size: number
  /** Names from `firstOwnName` up. */
  ownNames: string[]
  /** Start and stop of each stretch of markup that text skips, ascending. */
  gaps: number[]
  /** Elements and where the value of their `href` starts, ascending; for those not listed, the start tag says. */
  hrefs: number[]
}
