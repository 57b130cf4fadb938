// Cursors of lists. They are opaque to callers and validated when a caller sends one back.

import * as z from 'zod'
import { Failure } from '../../model/failures.ts'
import { jsonIn } from '../../model/json.ts'

export const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** The cursor after a page of a list; null after the last page. Only a full page has a next page. */
export function cursorAfter<Thing>(
  page: readonly Thing[],
  limit: number,
  placeOf: (last: Thing) => unknown,
): string | null {
  const last = page.length === limit ? page.at(-1) : undefined
  return last === undefined ? null : cursorOf(placeOf(last))
}

/** The option `cursor` for stores whose lists are paginated by id. */
export function idCursor(cursor: string | undefined): { cursor?: string } {
  const id = placeIn(cursor, z.string())
  return id === undefined ? {} : { cursor: id }
}

/** The position of a cursor; undefined without a cursor. */
export function placeIn<Place>(cursor: string | undefined, schema: z.ZodType<Place>): Place | undefined {
  if (cursor === undefined) return undefined
  const parsed = schema.safeParse(jsonIn(Buffer.from(cursor, 'base64url').toString()))
  if (parsed.success) return parsed.data
  throw unknownCursor(cursor)
}

export const unknownCursor = (cursor: string): Failure =>
  new Failure(
    'cursor.unknown',
    `cursor "${cursor.slice(0, 100)}" is invalid or outdated; start without a cursor`,
    { path: 'cursor' },
  )
