// Iterates over elements with given tag names, without creating strings for other elements.

import type { FlatDocument } from './flat-document.ts'
import { kind, kindMask, type NodeId, nameShift, none, recordShift } from './records.ts'
import { firstOwnName, tagIds } from './tags.ts'

/** A set of tag names: 1 at the number of each name in the set, 0 elsewhere. */
export type NameSet = Uint8Array

/** A set of tag names for `nextNamed` and similar loops. Throws for names that are not in HTML, because each document
 *  numbers such names differently. */
export function nameSet(...names: string[]): NameSet {
  const set = new Uint8Array(firstOwnName)
  for (const name of names) {
    const id = tagIds.get(name)
    if (id === undefined) throw new Error(`${name} is not a tag name of HTML`)
    set[id] = 1
  }
  return set
}

/** The first element from `from` on that has one of the names; -1 if there is none. */
export function nextNamed(document: FlatDocument, names: NameSet, from: NodeId): NodeId {
  const { records, size } = document.parsed
  for (let node = from; node < size; node++) {
    const head = records[node << recordShift]!
    if ((head & kindMask) === kind.element && names[head >> nameShift] === 1) return node
  }
  return none
}
