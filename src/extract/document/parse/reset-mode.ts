// Chooses the mode after a table or another element with its own mode was closed.

import { none } from '../records.ts'
import { tag } from '../tags.ts'
import { mode } from './modes.ts'
import type { TreeBuilder } from './tree-builder.ts'

/** Sets the mode that the open elements require, after a table or a select was closed. */
export function resetMode(builder: TreeBuilder): void {
  for (let depth = builder.depth; depth > 0; depth--) {
    const next = modeOf(builder.openNames[depth]!)
    if (next !== none) {
      builder.mode = next
      return
    }
  }
  builder.mode = mode.inBody
}

function modeOf(name: number): number {
  switch (name) {
    case tag.td:
    case tag.th:
      return mode.inCell
    case tag.tr:
      return mode.inRow
    case tag.tbody:
    case tag.thead:
    case tag.tfoot:
      return mode.inTableBody
    case tag.caption:
      return mode.inCaption
    case tag.colgroup:
      return mode.inColumnGroup
    case tag.table:
      return mode.inTable
    case tag.body:
    case tag.template:
      return mode.inBody
    default:
      return none
  }
}
