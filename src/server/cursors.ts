// Cursors of lists. They are opaque to callers and validated when a caller sends one back.
import type * as z from 'zod'
import { Failure } from '../model/failures.ts'

export const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url')

/** The position of a cursor; undefined without a cursor. */
export function placeIn<Place>(cursor: string | undefined, schema: z.ZodType<Place>): Place | undefined {
  if (cursor === undefined) return undefined
  const parsed = schema.safeParse(readJson(cursor))
  if (parsed.success) return parsed.data
  throw unknownCursor(cursor)
}

function readJson(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

export const unknownCursor = (cursor: string): Failure =>
  new Failure(
    'cursor.unknown',
    `cursor "${cursor.slice(0, 100)}" is invalid or outdated; start without a cursor`,
    { path: 'cursor' },
  )
