// Reads text nodes. Decodes character references, normalizes line ends, and skips ignored tags.

import { decodeHTML } from 'entities'
import { field, flag, kind, kindMask, type NodeId, type ParsedRecords, recordShift } from './records.ts'

export function textOf(parsed: ParsedRecords, node: NodeId): string {
  const at = node << recordShift
  const { records, markup } = parsed
  const head = records[at]!
  const start = records[at + field.start]!
  const stop = records[at + field.stop]!
  if (head & flag.gapped) return gappedText(parsed, start, stop, (head & flag.raw) !== 0)
  return readText(markup.slice(start, stop), (head & flag.raw) !== 0)
}

/** Decodes each piece on its own, because a character reference cannot continue after a tag. */
function gappedText({ markup, gaps }: ParsedRecords, start: number, stop: number, isRaw: boolean): string {
  let text = ''
  let from = start
  for (let index = firstGapFrom(gaps, start); index < gaps.length && gaps[index]! < stop; index += 2) {
    text += readText(markup.slice(from, gaps[index]!), isRaw)
    from = gaps[index + 1]!
  }
  return text + readText(markup.slice(from, stop), isRaw)
}

/** Index of the first gap that starts at or after `start`. */
function firstGapFrom(gaps: number[], start: number): number {
  let low = 0
  let high = gaps.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (gaps[middle << 1]! < start) low = middle + 1
    else high = middle
  }
  return low << 1
}

export function readText(slice: string, isRaw: boolean): string {
  const lines = slice.includes('\r') ? slice.replace(/\r\n?/g, '\n') : slice
  return isRaw || !lines.includes('&') ? lines : decodeHTML(lines)
}

/** All text of a subtree, joined. */
export function textContent(parsed: ParsedRecords, node: NodeId, end: NodeId): string {
  const { records } = parsed
  let text = ''
  for (let inner = node; inner < end; inner++) {
    if ((records[inner << recordShift]! & kindMask) === kind.text) text += textOf(parsed, inner)
  }
  return text
}
