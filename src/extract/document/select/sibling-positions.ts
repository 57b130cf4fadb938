// Positions of elements among their siblings, counted from both ends, for `:nth-child` and similar selectors.

import { field, kind, kindMask, type NodeId, nameShift, type ParsedRecords, recordShift } from '../records.ts'

export class SiblingPositions {
  /** Positions by node, starting at 1. */
  readonly fromStart: Int32Array
  readonly fromEnd: Int32Array
  readonly ofTypeFromStart: Int32Array
  readonly ofTypeFromEnd: Int32Array
  private readonly parsed: ParsedRecords

  constructor(parsed: ParsedRecords) {
    this.parsed = parsed
    this.fromStart = new Int32Array(parsed.size)
    this.fromEnd = new Int32Array(parsed.size)
    this.ofTypeFromStart = new Int32Array(parsed.size)
    this.ofTypeFromEnd = new Int32Array(parsed.size)
    for (let node = 0; node < parsed.size; node++) this.countChildren(node)
  }

  private countChildren(parent: NodeId): void {
    const { records } = this.parsed
    const end = records[(parent << recordShift) + field.end]!
    if (end === parent + 1) return
    const children: NodeId[] = []
    for (let node = parent + 1; node < end; node = records[(node << recordShift) + field.end]!) {
      if ((records[node << recordShift]! & kindMask) === kind.element) children.push(node)
    }
    this.count(children, this.fromStart, this.ofTypeFromStart)
    this.count(children.reverse(), this.fromEnd, this.ofTypeFromEnd)
  }

  private count(children: NodeId[], positions: Int32Array, ofType: Int32Array): void {
    const seen = new Map<number, number>()
    children.forEach((node, index) => {
      positions[node] = index + 1
      const name = this.parsed.records[node << recordShift]! >> nameShift
      const position = (seen.get(name) ?? 0) + 1
      seen.set(name, position)
      ofType[node] = position
    })
  }
}
