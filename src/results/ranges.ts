// Merges references to adjacent pages of a segment, so that fewer reads are needed.
import type { BlobRef } from '../model/page/page.ts'
import { isWarcKey } from './keys.ts'

const maxReadBytes = 4 * 1024 * 1024

export interface Range {
  /** The range to read. */
  whole: BlobRef
  /** The references in the range, in order. */
  refs: BlobRef[]
}

/** Ranges in the order of segments and offsets. */
export function rangesOf(refs: readonly BlobRef[]): Range[] {
  const ranges: Range[] = []
  for (const ref of refs.toSorted(byPlace)) {
    const last = ranges.at(-1)
    if (last && follows(last.whole, ref)) extend(last, ref)
    else ranges.push({ whole: { ...ref }, refs: [ref] })
  }
  return ranges
}

const byPlace = (a: BlobRef, b: BlobRef): number =>
  a.key === b.key ? a.offset - b.offset : a.key < b.key ? -1 : 1

const follows = (last: BlobRef, next: BlobRef): boolean =>
  last.key === next.key &&
  isWarcKey(next.key) &&
  last.offset + last.length === next.offset &&
  last.length + next.length <= maxReadBytes

function extend(range: Range, ref: BlobRef): void {
  range.whole.length += ref.length
  range.refs.push(ref)
}
