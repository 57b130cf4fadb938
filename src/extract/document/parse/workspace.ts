// Memory that the parsers reuse. Each page allocates only memory for its own records.

import { maxDepth, recordShift } from '../records.ts'
import { firstOwnName } from '../tags.ts'

/** Arrays up to this many numbers are reused. Larger ones are temporary. */
const keptNumbers = 1 << 19

export interface Workspace {
  /** Records of the page that is being parsed. At the start they contain data of the previous page. */
  records: Int32Array
  openNodes: number[]
  openNames: number[]
  /** Number of open elements by tag number, for names that are in HTML. */
  openCounts: number[]
}

/** Only one parse uses this memory at a time, because parsing is synchronous. */
let kept: Workspace | null = null

/** The memory for a parse. The caller owns it until the next call. */
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

/** Memory of released documents, for later documents. */
const spare: Int32Array[] = []
const mostSpare = 4
/** Memory is allocated in steps of 16 KB, so that it often fits another page later. */
const stepNumbers = 4_096

/** A copy of the first `length` numbers, in separate memory. */
export function copyOfRecords(records: Int32Array, length: number): Int32Array {
  const copy = new Int32Array(roomFor(length), 0, length)
  copy.set(records.subarray(0, length))
  return copy
}

/** Memory for this many numbers, reused if possible. V8 collects memory outside its heap late and all at once; reuse
 *  avoids that. */
function roomFor(length: number): ArrayBuffer {
  const at = spare.findIndex(({ length: room }) => room >= length)
  if (at !== -1) return spare.splice(at, 1)[0]!.buffer as ArrayBuffer
  const numbers = Math.ceil(length / stepNumbers) * stepNumbers
  // Zeroing is not needed, because every number is written before it is read.
  return Buffer.allocUnsafeSlow(numbers * Int32Array.BYTES_PER_ELEMENT).buffer
}

/** Offers the memory to later documents. The caller guarantees that these records are never read again. */
export function giveBackRecords(records: Int32Array): void {
  const whole = new Int32Array(records.buffer)
  if (whole.length > keptNumbers || spare.length >= mostSpare) return
  spare.push(whole)
}
