// A second `<html>` or `<body>` tag adds missing attributes to the first one. The merged tag is appended to the markup,
// and the record of the element points to it.

import { readAttributes } from '../attributes.ts'
import { field, flag, recordShift } from '../records.ts'

/** `seconds` has three numbers for each second tag, in document order: element, start and stop. Returns the
 *  markup with the merged tags at its end, to which the records then refer. */
export function writeMergedTags(source: string, records: Int32Array, seconds: readonly number[]): string {
  let markup = source
  const elements = new Set(seconds.filter((_, index) => index % 3 === 0))
  for (const element of elements) markup += writeMerged(source, markup.length, records, seconds, element)
  return markup
}

function writeMerged(
  source: string,
  at: number,
  records: Int32Array,
  seconds: readonly number[],
  element: number,
): string {
  const record = element << recordShift
  const start = records[record + field.start]!
  const attributes = new Map(readAttributes(source, start, records[record + field.stop]!))
  for (let index = 0; index < seconds.length; index += 3) {
    if (seconds[index] !== element) continue
    for (const [name, value] of readAttributes(source, seconds[index + 1]!, seconds[index + 2]!)) {
      if (!attributes.has(name)) attributes.set(name, value)
    }
  }
  let tag = '<_'
  records[record]! &= ~flag.noRel
  for (const [name, value] of attributes) {
    records[record]! |= flagOf(name)
    tag += ` ${name}="`
    if (name === 'class') records[record + field.classAt] = at + tag.length
    if (name === 'id') records[record + field.idAt] = at + tag.length
    tag += `${value.replace(/[&"\r]/g, character => escapes[character]!)}"`
  }
  records[record + field.start] = at
  records[record + field.stop] = at + tag.length + 1
  return `${tag}>`
}

const styling = new Set(['style', 'hidden', 'aria-hidden'])
const describing = new Set(['role', 'itemprop', 'itemtype'])

/** The flag that an attribute sets in the record of its element. */
export function flagOf(attribute: string): number {
  if (styling.has(attribute)) return flag.styled
  return describing.has(attribute) ? flag.described : 0
}

export const escapes: Record<string, string> = { '&': '&amp;', '"': '&quot;', '\r': '&#13;' }
