// Finds the failure of a response: by its HTTP status, or because the page is a wall.
import { parseDocument } from '../../extract/document/index.ts'
import { wallFailure, wallOf } from '../../extract/walls/index.ts'
import { decodeText, statusFailure } from '../../fetch/http/index.ts'
import { type Failure, failures } from '../../model/failures.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { ExecutionPolicy } from '../../model/policy/policy.ts'

/** How pages with an HTTP error status are handled. With `keep`, the last attempt gives a record instead of a failure. */
export interface ErrorPages {
  errorPages: ExecutionPolicy['errorPages']
  isLastAttempt: boolean
}

const failAll: ErrorPages = { errorPages: 'fail', isLastAttempt: true }

/** The failure of a response; null if the page can be parsed. */
export function answerFailure(
  page: Page,
  { errorPages, isLastAttempt }: ErrorPages = failAll,
): Failure | null {
  const byStatus = statusFailure(page, page.endedAt)
  if (!byStatus) return null
  const source = isText(mediaTypeOf(page.headers)) ? decodeText(page) : ''
  const wall = wallOf({ ...page, source, document: () => parseDocument(source) })
  if (wall) return wallFailure(wall, page, byStatus.details)
  const isFinal = isLastAttempt || failures[byStatus.code].retry === 'never'
  return errorPages === 'keep' && isFinal ? null : byStatus
}

/** Whether to look for a wall in the body. Walls also come as JSON, as plain text, or without a content type. */
const isText = (type: string): boolean => type === '' || /^text\/|[/+](?:json|xml)$/.test(type)
