// The parser's modes, as the HTML standard names them, and how a rule answers.

import type { TreeBuilder } from './tree-builder.ts'

export const mode = {
  initial: 0,
  beforeHtml: 1,
  beforeHead: 2,
  inHead: 3,
  inHeadNoscript: 4,
  afterHead: 5,
  inBody: 6,
  inTable: 7,
  inCaption: 8,
  inColumnGroup: 9,
  inTableBody: 10,
  inRow: 11,
  inCell: 12,
  inSelect: 13,
  inSelectInTable: 14,
  afterBody: 15,
  afterAfterBody: 16,
} as const

/** What a rule did with a tag: `done`, or `again` when it changed the mode and the tag is to be looked at anew. */
export const done = true
export const again = false

export type Rule = (builder: TreeBuilder) => boolean
