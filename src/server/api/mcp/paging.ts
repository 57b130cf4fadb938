// Splits long texts and lists into parts that fit a model's context. A cursor requests the next part.
import * as z from 'zod'
import { cursorOf, placeIn } from '../../http/cursors.ts'

const place = z.strictObject({
  job: z.string(),
  n: z.int().min(1),
  from: z.int().min(0),
  main: z.boolean(),
})
export type TextPlace = z.output<typeof place>

export const textPlace = (cursor: string): TextPlace => placeIn(cursor, place)!

/** A part of a text, cut at a line end if one is near, and the start of the next part. */
export function textPart(text: string, from: number, most: number): { part: string; next: number | null } {
  if (text.length - from <= most) return { part: text.slice(from), next: null }
  const end = text.lastIndexOf('\n', from + most)
  const next = end > from + most / 2 ? end + 1 : from + most
  return { part: text.slice(from, next), next }
}

export const nextCursor = (where: TextPlace, next: number | null): string | null =>
  next === null ? null : cursorOf({ ...where, from: next })

/** As many items as fit into `most` characters, but at least one. */
export function fitting<Item>(items: readonly Item[], textOf: (item: Item) => string, most: number): Item[] {
  let length = 0
  const fit = items.findIndex(item => {
    length += textOf(item).length
    return length > most
  })
  return fit === -1 ? [...items] : items.slice(0, Math.max(1, fit))
}
