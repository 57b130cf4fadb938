// Renumbers nodes in document order after some were moved.

import { field, type NodeId, none, recordShift } from '../records.ts'

interface Ordered {
  /** The new number of each node, by its old number. */
  order: Int32Array
  records: Int32Array
}

/** Sorts nodes into document order. Needs the parent and the previous sibling of each node, and sets the end
 *  of each node. Null if a node is detached from the tree. */
export function inDocumentOrder(linked: Int32Array, size: number): Ordered | null {
  const { first, next } = siblingsOf(linked, size)
  const records = new Int32Array(size << recordShift)
  const order = new Int32Array(size)
  let count = 0
  let node: NodeId = 0
  for (;;) {
    const at = count << recordShift
    records.set(linked.subarray(node << recordShift, (node + 1) << recordShift), at)
    order[node] = count++
    if (node !== 0) renumber(records, at, order)
    if (first[node] !== none) {
      node = first[node]!
      continue
    }
    while (node !== 0 && next[node] === none) {
      records[(order[node]! << recordShift) + field.end] = count
      node = linked[(node << recordShift) + field.parent]!
    }
    records[(order[node]! << recordShift) + field.end] = count
    if (node === 0) return count === size ? { order, records } : null
    node = next[node]!
  }
}

function siblingsOf(linked: Int32Array, size: number): { first: Int32Array; next: Int32Array } {
  const first = new Int32Array(size).fill(none)
  const next = new Int32Array(size).fill(none)
  for (let node = 1; node < size; node++) {
    const at = node << recordShift
    const previous = linked[at + field.previousSibling]!
    if (previous === none) first[linked[at + field.parent]!] = node
    else next[previous] = node
  }
  return { first, next }
}

/** Replaces old node numbers by new ones in one record. The parent and the earlier siblings of the node
 *  already have new numbers. */
function renumber(records: Int32Array, at: number, order: Int32Array): void {
  records[at + field.parent] = order[records[at + field.parent]!]!
  const previous = records[at + field.previousSibling]!
  if (previous !== none) records[at + field.previousSibling] = order[previous]!
}

/** Sorts pairs of numbers by the first number of each. */
export function sortedPairs(pairs: number[]): number[] {
  const starts = Array.from({ length: pairs.length >> 1 }, (_, index) => index << 1)
  starts.sort((left, right) => pairs[left]! - pairs[right]!)
  return starts.flatMap(start => [pairs[start]!, pairs[start + 1]!])
}
