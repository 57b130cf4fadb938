// Rules inside tables. The start tag of a row or cell also opens and closes the elements that it implies.
// Content outside cells is moved by `Repairs`; without `Repairs` it makes the page doubtful.

import { readAttribute } from '../attributes.ts'
import { none } from '../records.ts'
import { factsOf, is, tag } from '../tags.ts'
import { endInBody } from './body-end-rules.ts'
import { startInBody } from './body-start-rules.ts'
import { addHeadContent, doubtPartInTemplate } from './elements.ts'
import { again, done, mode, type Rule } from './modes.ts'
import { resetMode } from './reset-mode.ts'
import type { TreeBuilder } from './tree-builder.ts'

function isSection(name: number): boolean {
  return name === tag.tbody || name === tag.thead || name === tag.tfoot
}

function isCell(name: number): boolean {
  return name === tag.td || name === tag.th
}

/** Closes the elements that are still open inside the element of the current mode. Only doubtful pages have
 *  such elements. */
function backTo(builder: TreeBuilder, isContext: (name: number) => boolean): void {
  while (builder.depth > 1 && !isContext(builder.currentName) && builder.currentName !== tag.html)
    builder.pop()
}

const isTable = (name: number) => name === tag.table
const isRow = (name: number) => name === tag.tr

function openIn(builder: TreeBuilder, next: number): boolean {
  builder.openElement(builder.name)
  builder.mode = next
  return done
}

function implyIn(builder: TreeBuilder, name: number, next: number): boolean {
  builder.openImplied(name, builder.start)
  builder.mode = next
  return again
}

/** Closes the current row, section, caption or column group. The tag is then processed in the outer mode. */
function leave(builder: TreeBuilder, next: number): boolean {
  builder.pop()
  builder.mode = next
  return again
}

export function startInTable(builder: TreeBuilder): boolean {
  const name = builder.name
  if (factsOf(name) & is.tablePart) {
    backTo(builder, isTable)
    if (name === tag.caption) {
      builder.repairs?.addMarker()
      return openIn(builder, mode.inCaption)
    }
    if (name === tag.colgroup) return openIn(builder, mode.inColumnGroup)
    if (name === tag.col) return implyIn(builder, tag.colgroup, mode.inColumnGroup)
    if (isSection(name)) return openIn(builder, mode.inTableBody)
    return implyIn(builder, tag.tbody, mode.inTableBody)
  }
  return startBesideRows(builder)
}

/** Handles elements that may occur between rows. The HTML standard moves all others before the table. */
function startBesideRows(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.table) return closeTable(builder) ? again : startInBody(builder)
  if (name === tag.style || name === tag.script) addHeadContent(builder)
  else if (name === tag.input && isHidden(builder)) builder.appendElement(name)
  else if (name === tag.form) addForm(builder)
  else return foster(builder, startInBody, `<${builder.nameText(name)}>`)
  return done
}

/** Handles content between rows by the rules of the body, and moves it before the table. Without `Repairs`,
 *  the content is not moved, and the page becomes doubtful. */
function foster(builder: TreeBuilder, rule: Rule, what: string): boolean {
  const { repairs } = builder
  if (repairs === null || builder.name === tag.template) {
    builder.doubtful(`${what} in a table, outside its cells`)
    return rule(builder)
  }
  repairs.isFostering = true
  const isHandled = rule(builder)
  repairs.isFostering = false
  return isHandled
}

function isHidden(builder: TreeBuilder): boolean {
  return readAttribute(builder.source, builder.start, builder.stop, 'type')?.toLowerCase() === 'hidden'
}

/** A form between rows contains no elements, but later form fields belong to it. */
function addForm(builder: TreeBuilder): void {
  if (builder.formNode === none) builder.formNode = builder.appendElement(builder.name)
}

/** Returns false if no table is open, as in a template. */
function closeTable(builder: TreeBuilder): boolean {
  const depth = builder.depthInTableScope(tag.table)
  if (depth === none) return false
  builder.closeSilentlyFrom(depth)
  resetMode(builder)
  return true
}

export function endInTable(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.table) closeTable(builder)
  else if (factsOf(name) & is.tablePart || name === tag.body || name === tag.html) return done
  else if (builder.repairs !== null || name === tag.p || name === tag.br) {
    return foster(builder, endInBody, `</${builder.nameText(name)}>`)
  } else return endInBody(builder)
  return done
}

export function startInTableBody(builder: TreeBuilder): boolean {
  const name = builder.name
  if (!(factsOf(name) & is.tablePart)) return startInTable(builder)
  backTo(builder, isSection)
  if (name === tag.tr) return openIn(builder, mode.inRow)
  if (isCell(name)) return implyIn(builder, tag.tr, mode.inRow)
  return leave(builder, mode.inTable)
}

export function endInTableBody(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.table) {
    backTo(builder, isSection)
    return leave(builder, mode.inTable)
  }
  if (!isSection(name)) return endInTable(builder)
  if (builder.depthInTableScope(name) === none) return done
  backTo(builder, isSection)
  leave(builder, mode.inTable)
  return done
}

export function startInRow(builder: TreeBuilder): boolean {
  const name = builder.name
  if (!(factsOf(name) & is.tablePart)) return startInTable(builder)
  backTo(builder, isRow)
  if (!isCell(name)) return leave(builder, mode.inTableBody)
  builder.repairs?.addMarker()
  return openIn(builder, mode.inCell)
}

export function endInRow(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name !== tag.tr && name !== tag.table && !isSection(name)) return endInTable(builder)
  if (isSection(name) && builder.depthInTableScope(name) === none) {
    builder.doubtful(`</${builder.nameText(name)}> in another section's row`)
  }
  backTo(builder, isRow)
  const isHandled = leave(builder, mode.inTableBody)
  return name === tag.tr ? done : isHandled
}

export function startInCell(builder: TreeBuilder): boolean {
  if (!(factsOf(builder.name) & is.tablePart)) return startInBody(builder)
  doubtPartInTemplate(builder)
  return closeCell(builder)
}

function closeCell(builder: TreeBuilder): boolean {
  for (let depth = builder.depth; depth > 0; depth--) {
    if (isCell(builder.openNames[depth]!)) {
      builder.closeMarkerFrom(depth)
      builder.mode = mode.inRow
      return again
    }
  }
  resetMode(builder)
  return done
}

export function endInCell(builder: TreeBuilder): boolean {
  const name = builder.name
  if (isCell(name)) {
    if (builder.depthInTableScope(name) !== none) closeCell(builder)
    return done
  }
  if (name === tag.table || name === tag.tr || isSection(name)) {
    return builder.depthInTableScope(name) === none ? done : closeCell(builder)
  }
  if (factsOf(name) & is.tablePart || name === tag.body || name === tag.html) return done
  return endInBody(builder)
}

export function startInCaption(builder: TreeBuilder): boolean {
  if (!(factsOf(builder.name) & is.tablePart)) return startInBody(builder)
  doubtPartInTemplate(builder)
  return closeCaption(builder)
}

export function endInCaption(builder: TreeBuilder): boolean {
  const name = builder.name
  if (name === tag.caption) {
    closeCaption(builder)
    return done
  }
  if (name === tag.table) return closeCaption(builder)
  if (factsOf(name) & is.tablePart || name === tag.body || name === tag.html) return done
  return endInBody(builder)
}

function closeCaption(builder: TreeBuilder): boolean {
  const depth = builder.depthInTableScope(tag.caption)
  if (depth === none) return done
  builder.closeMarkerFrom(depth)
  builder.mode = mode.inTable
  return again
}

export function startInColumnGroup(builder: TreeBuilder): boolean {
  if (builder.name === tag.col) {
    builder.appendElement(builder.name)
    return done
  }
  return builder.name === tag.html ? startInBody(builder) : leave(builder, mode.inTable)
}

export function endInColumnGroup(builder: TreeBuilder): boolean {
  if (builder.name === tag.col) return done
  const isHandled = leave(builder, mode.inTable)
  return builder.name === tag.colgroup ? done : isHandled
}
