// Runs over a document for elements of a few tag names, without a string for any other.

import type { FlatDocument } from './flat-document.ts'
import { kind, kindMask, type NodeId, nameShift, none, recordShift } from './records.ts'
import { firstOwnName, tagIds } from './tags.ts'

/** A set of tag names: 1 at the index of each. */
export type NameSet = Uint8Array

/** Throws for a name that HTML does not know: documents number such names each in their own way. */
export function nameSet(...names: string[]): NameSet {
  const set = new Uint8Array(firstOwnName)
  for (const name of names) {
    const id = tagIds.get(name)
    if (id === undefined) throw new Error(`${name} is not a tag name of HTML`)
    set[id] = 1
  }
  return set
}

/** The first element at or behind `from` that has one of the names, or -1. */
export function nextNamed(document: FlatDocument, names: NameSet, from: NodeId): NodeId {
  const { records, size } = document.parsed
  for (let node = from; node < size; node++) {
    const head = records[node << recordShift]!
    if ((head & kindMask) === kind.element && names[head >> nameShift] === 1) return node
  }
  return none
}
