// An answer that is an error: what its status means, or the wall that its page shows.
import { parseDocument } from '../../extract/document/index.ts'
import { wallFailure, wallOf } from '../../extract/walls/index.ts'
import { decodeText, statusFailure } from '../../fetch/http/index.ts'
import type { Failure } from '../../model/failures.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'

/** Null for an answer that can be read. */
export function answerFailure(page: Page): Failure | null {
  const byStatus = statusFailure(page, page.endedAt)
  if (!byStatus) return null
  const source = isText(mediaTypeOf(page.headers)) ? decodeText(page) : ''
  const wall = wallOf({ ...page, source, document: () => parseDocument(source) })
  return wall ? wallFailure(wall, page, byStatus.details) : byStatus
}

/** Refusals come as JSON and plain text too, and without a type. */
const isText = (type: string): boolean => type === '' || /^text\/|[/+](?:json|xml)$/.test(type)
