// Tables of tags that need no rule, because they only open or close one element. For each tag they contain the mode
// that follows.

import { factsOf, firstOwnName, is, tag } from '../tags.ts'
import { endsParagraph, opensPlainly } from './body-start-rules.ts'
import { mode } from './modes.ts'

/** Value in the tables for tags that need a rule. No tag leads back to the initial mode, so its number is free. */
export const takesRule: number = mode.initial

/** Each row of the tables stands for a mode. From row `rowsInParagraph` on, the modes repeat for the case that a
 *  paragraph is open. */
const rowShift = 8
const rowsInParagraph = 32
/** Index of the entry for all names that are not in HTML. */
const ownName = firstOwnName - 1

const inside = new Uint8Array((2 * rowsInParagraph) << rowShift)
const behind = new Uint8Array(rowsInParagraph << rowShift)

/** The mode after a start tag in mode `now`, if the tag only opens its element; otherwise `takesRule`. */
export function modeInside(now: number, name: number, isParagraphOpen: boolean): number {
  const row = isParagraphOpen ? now + rowsInParagraph : now
  return inside[(row << rowShift) + Math.min(name, ownName)]!
}

/** The mode after the end tag of the current element, if the tag only closes it; otherwise `takesRule`. */
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
