// Reused memory of the parsers: a page costs only its own records.

import { maxDepth, recordShift } from '../records.ts'
import { firstOwnName } from '../tags.ts'

/** Arrays up to this size are reused; larger ones are temporary. */
const keptNumbers = 1 << 19

export interface Workspace {
  /** Contains data of the previous page. */
  records: Int32Array
  openNodes: number[]
  openNames: number[]
  /** How many elements of each known name are open. */
  openCounts: number[]
}

/** Used from the start of a parse to its end and by one parse at a time: parsing never waits. */
let kept: Workspace | null = null

/** Room to begin a parse in; it is the caller's until the next call. */
export function openWorkspace(): Workspace {
  kept ??= {
    records: new Int32Array(1_024 << recordShift),
    openNodes: new Array(maxDepth + 1).fill(0),
    openNames: new Array(maxDepth + 1).fill(0),
    openCounts: new Array(firstOwnName).fill(0),
  }
  kept.openCounts.fill(0)
  return kept
}

/** Doubles the size and copies the records. */
export function growRecords(records: Int32Array): Int32Array {
  const larger = new Int32Array(records.length * 2)
  larger.set(records)
  if (kept !== null && larger.length <= keptNumbers) kept.records = larger
  return larger
}

/** Memory of released documents. */
const spare: Int32Array[] = []
const mostSpare = 4
/** Allocates in steps of 16 KB, so that memory fits the next page too. */
const stepNumbers = 4_096

/** A copy of the first `length` numbers, in separate memory. */
export function copyOfRecords(records: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(roomFor(length), 0, length)
  copy.set(records.subarray(0, length))
  return copy
}

/** Memory outside V8's heap is collected late and at once, so reuse avoids collections. */
function roomFor(length: number): ArrayBuffer {
  const at = spare.findIndex(({ length: room }) => room >= length)
  if (at !== -1) return spare.splice(at, 1)[0]!.buffer as ArrayBuffer
  const numbers = Math.ceil(length / stepNumbers) * stepNumbers
  // Every number is written before it is read, so zeroing is not needed.
  return Buffer.allocUnsafeSlow(numbers * Int32Array.BYTES_PER_ELEMENT).buffer
}

/** For later documents. The caller guarantees that nothing reads these records again. */
export function giveBackRecords(records: Int32Array): void {
  const whole = new Int32Array(records.buffer)
  if (whole.length > keptNumbers || spare.length >= mostSpare) return
  spare.push(whole)
}
