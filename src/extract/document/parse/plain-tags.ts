// Tables of tags that need no rule, because they only open or close one element. For each tag they contain the mode
// that follows.

import { factsOf, firstOwnName, is, tag } from '../tags.ts'
import { endsParagraph, opensPlainly } from './body-start-rules.ts'
import { mode } from './modes.ts'

/** Table value of tags that need a rule. It is the number of the initial mode, because no tag leads to that
 *  mode. */
export const takesRule: number = mode.initial

/** Each row of the tables is a mode. The rows from `rowsInParagraph` on are the same modes while a paragraph
 *  is open. */
const rowShift = 8
const rowsInParagraph = 32
/** The table column that all names outside HTML share. */
const ownName = firstOwnName - 1

const inside = new Uint8Array((2 * rowsInParagraph) << rowShift)
const behind = new Uint8Array(rowsInParagraph << rowShift)

/** The mode after a start tag in mode `now`. `takesRule` if the tag does more than open its element. */
export function modeInside(now: number, name: number, isParagraphOpen: boolean): number {
  const row = isParagraphOpen ? now + rowsInParagraph : now
  return inside[(row << rowShift) + Math.min(name, ownName)]!
}

/** The mode after the end tag of the current element. `takesRule` if the tag does more than close that
 *  element. */
export function modeBehind(now: number, name: number): number {
  return behind[(now << rowShift) + Math.min(name, ownName)]!
}

function setInside(now: number, name: number, next: number, isParagraphOpen: boolean): void {
  inside[((isParagraphOpen ? now + rowsInParagraph : now) << rowShift) + name] = next
}

for (const now of [mode.inBody, mode.inCell]) {
  for (let name = 1; name < firstOwnName; name++) {
    if (!opensPlainly(name)) continue
    setInside(now, name, now, false)
    if (!endsParagraph(name)) setInside(now, name, now, true)
  }
}
for (const isParagraphOpen of [true, false]) {
  setInside(mode.inRow, tag.td, mode.inCell, isParagraphOpen)
  setInside(mode.inRow, tag.th, mode.inCell, isParagraphOpen)
  setInside(mode.inTableBody, tag.tr, mode.inRow, isParagraphOpen)
}

for (let now: number = mode.inBody; now < mode.afterBody; now++) {
  for (let name = 0; name < firstOwnName; name++) {
    // The name 0 represents all elements of svg and math.
    if (name === 0 || factsOf(name) & is.plainEnd) behind[(now << rowShift) + name] = now
  }
  behind[(now << rowShift) + tag.td] = mode.inRow
  behind[(now << rowShift) + tag.th] = mode.inRow
  behind[(now << rowShift) + tag.tr] = mode.inTableBody
}
