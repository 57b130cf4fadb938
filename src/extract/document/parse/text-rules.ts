// Decides by parser mode what happens with text. White space before the head is dropped. Text in a table but
// outside its cells is moved by `Repairs`; without `Repairs` it makes the page doubtful. Other text is added.

import { char, skipSpace } from '../characters.ts'
import { implyNext } from './head-rules.ts'
import { mode } from './modes.ts'
import type { Repairs } from './repairs.ts'
import type { TreeBuilder } from './tree-builder.ts'

// Local constants are faster here; `scan.ts` explains why.
const { inBody, inCell } = mode

export function addText(builder: TreeBuilder, start: number, stop: number): void {
  const current = builder.mode
  if (current === inBody || current === inCell) addBodyText(builder, start, stop)
  else if (current > inCell) addLateText(builder, start, stop)
  else if (current <= mode.afterHead) addEarlyText(builder, start, stop)
  else addTableText(builder, start, stop)
}

function addBodyText(builder: TreeBuilder, start: number, stop: number): void {
  if (builder.repairs !== null && !builder.isCurrentForeign()) builder.repairs.reconstruct()
  builder.appendText(start, stop)
}

/** Text in a select, or after `</body>`. */
function addLateText(builder: TreeBuilder, start: number, stop: number): void {
  if (builder.mode < mode.afterBody) builder.appendText(start, stop)
  else {
    leaveAfterBody(builder, skipSpace(builder.codes, start, stop), stop)
    addBodyText(builder, start, stop)
  }
}

/** Text after `</body>` still belongs to the body. Any character except white space reopens the body. */
function leaveAfterBody(builder: TreeBuilder, textStart: number, stop: number): void {
  if (textStart === stop) return
  doubtSpaceReference(builder, textStart)
  builder.mode = mode.inBody
}

function addTableText(builder: TreeBuilder, start: number, stop: number): void {
  const textStart = skipSpace(builder.codes, start, stop)
  const isInContent = builder.mode === mode.inCaption || builder.isCurrentForeign()
  if (isInContent) addBodyText(builder, start, stop)
  else if (builder.repairs !== null) fosterText(builder, builder.repairs, start, textStart, stop)
  else {
    if (textStart < stop) builder.doubtful('text in a table, outside its cells')
    builder.appendText(start, stop)
  }
}

/** Adds text between table rows. Text of only white space stays between the rows. Any other text moves before
 *  the table, with its white space. If an element such as `b` is open there, it gets the text. */
function fosterText(
  builder: TreeBuilder,
  repairs: Repairs,
  start: number,
  textStart: number,
  stop: number,
): void {
  doubtSpaceReference(builder, textStart)
  let from = start
  if (builder.mode === mode.inColumnGroup) {
    builder.appendText(start, textStart)
    from = textStart
    if (from === stop) return
    builder.pop()
    builder.mode = mode.inTable
  }
  repairs.isFostering = textStart < stop || !repairs.isInTableStructure()
  if (repairs.isFostering) repairs.reconstruct()
  builder.appendText(from, stop)
  repairs.isFostering = false
}

/** Text before the body. White space before the head is dropped, later white space is added. Any other
 *  character starts the body. */
function addEarlyText(builder: TreeBuilder, start: number, stop: number): void {
  const textStart = skipSpace(builder.codes, start, stop)
  if (builder.mode >= mode.inHead) builder.appendText(start, textStart)
  if (textStart === stop) return
  doubtSpaceReference(builder, textStart)
  while (builder.mode < mode.inBody) implyNext(builder, textStart)
  builder.appendText(textStart, stop)
}

/** Makes the page doubtful if a character reference at `at` may be white space. The parser does not decode it there. */
export function doubtSpaceReference(builder: TreeBuilder, at: number): void {
  if (builder.codes[at] !== char.ampersand) return
  const mayBeSpace = /^&[#TN]/.test(builder.source.slice(at, at + 2))
  if (mayBeSpace) builder.doubtful('white space written as a character reference')
}
