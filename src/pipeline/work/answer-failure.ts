// Responses that are errors: what the status means, or which wall the page shows.
import { parseDocument } from '../../extract/document/index.ts'
import { wallFailure, wallOf } from '../../extract/walls/index.ts'
import { decodeText, statusFailure } from '../../fetch/http/index.ts'
import { type Failure, failures } from '../../model/failures.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { ExecutionPolicy } from '../../model/policy/policy.ts'

/** Handles pages with an error status: whether the job stores them, and whether this attempt is the last. */
export interface ErrorPages {
  errorPages: ExecutionPolicy['errorPages']
  isLastAttempt: boolean
}

const failAll: ErrorPages = { errorPages: 'fail', isLastAttempt: true }

/** Null for a response that can be parsed. */
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

/** Refusals also come as JSON and plain text, or without a type. */
const isText = (type: string): boolean => type === '' || /^text\/|[/+](?:json|xml)$/.test(type)
