// The memory parses work in, one after the other: a page then costs no more of it than its own records.

import { maxDepth, recordShift } from '../records.ts'
import { firstOwnName } from '../tags.ts'

/** Records for some pages more than usual are kept; larger ones get an array of their own. */
const keptNumbers = 1 << 19

export interface Workspace {
  /** What is in them is left from the page before. */
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

/** Twice the room, with what is in the records so far. */
export function growRecords(records: Int32Array): Int32Array {
  const larger = new Int32Array(records.length * 2)
  larger.set(records)
  if (kept !== null && larger.length <= keptNumbers) kept.records = larger
  return larger
}

/** Memory of documents that nobody reads any more. */
const spare: Int32Array[] = []
const mostSpare = 4
/** Room is given out in steps of 16 KB, so that it fits the next page as well. */
const stepNumbers = 4_096

/** A copy of the first so many numbers, in memory that nobody else uses. */
export function copyOfRecords(records: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(roomFor(length), 0, length)
  copy.set(records.subarray(0, length))
  return copy
}

/** What lies outside V8's heap is collected late and all at once: memory that goes round costs no collection. */
function roomFor(length: number): ArrayBuffer {
  const at = spare.findIndex(({ length: room }) => room >= length)
  if (at !== -1) return spare.splice(at, 1)[0]!.buffer as ArrayBuffer
  const numbers = Math.ceil(length / stepNumbers) * stepNumbers
  // Every number that is read was written before, so zeroes need not be first.
  return Buffer.allocUnsafeSlow(numbers * Int32Array.BYTES_PER_ELEMENT).buffer
}

/** For the next documents. The caller answers for it that nobody reads these records again. */
export function giveBackRecords(records: Int32Array): void {
  const whole = new Int32Array(records.buffer)
  if (whole.length > keptNumbers || spare.length >= mostSpare) return
  spare.push(whole)
}
