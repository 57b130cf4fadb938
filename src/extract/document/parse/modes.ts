// The parser modes of the HTML standard, and the results of rules.

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

/** The result of a rule. `done`: the tag was handled. `again`: the mode changed, and the tag must be
 *  processed again. */
export const done = true
export const again = false

export type Rule = (builder: TreeBuilder) => boolean
