// Errors with Firecrawl's status codes and error codes. Never 502, because Firecrawl's client would retry at once.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import { type Problem, problemOf } from '../../http/problems.ts'

interface Saying {
  status?: number
  code?: string
  error?: string
}

const sayings: Partial<Record<FailureCode, Saying>> = {
  'input.invalid': { status: 400, code: 'BAD_REQUEST' },
  'feature.missing': { status: 400, code: 'BAD_REQUEST' },
  'request.invalid': { status: 400, code: 'BAD_REQUEST_INVALID_JSON' },
  'address.refused': { status: 400, code: 'BAD_REQUEST' },
  'job.unknown': { status: 404, error: 'Job not found' },
  'task.deadline': { status: 408, code: 'SCRAPE_TIMEOUT' },
  'fetch.timeout': { status: 408, code: 'SCRAPE_TIMEOUT' },
  'connect.timeout': { status: 408, code: 'SCRAPE_TIMEOUT' },
  'dns.not-found': { status: 500, code: 'SCRAPE_DNS_RESOLUTION_ERROR' },
  'dns.failed': { status: 500, code: 'SCRAPE_DNS_RESOLUTION_ERROR' },
  'tls.failed': { status: 500, code: 'SCRAPE_SSL_ERROR' },
  'content.unsupported': { status: 500, code: 'SCRAPE_UNSUPPORTED_FILE_ERROR' },
  'content.unreadable': { status: 500, code: 'SCRAPE_UNSUPPORTED_FILE_ERROR' },
  'action.failed': { status: 500, code: 'SCRAPE_ACTION_ERROR' },
  'request.repeated': { status: 409 },
}

export function renderProblem({ code, message, details }: Problem): Record<string, unknown> {
  const said = sayings[code as FailureCode]
  const told = Array.isArray(details.problems) ? { details: details.problems } : {}
  return {
    success: false,
    error: said?.error ?? message,
    code: said?.code ?? theirCode(code),
    ...told,
  }
}

/** Failures of a page get a Firecrawl code; other failures keep the code of this service. */
const theirCode = (code: string): string =>
  /^(connect|connection|http|body|redirect|page|blocked|navigation|proxy|robots|host|browser)\./.test(code)
    ? 'SCRAPE_SITE_ERROR'
    : code

export function answerTheirProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemOf(error, request)
  // Firecrawl answers 409 if an idempotency key was used for another request.
  const conflict = problem.details.path === 'Idempotency-Key' ? 409 : undefined
  const status = conflict ?? sayings[problem.code as FailureCode]?.status ?? problem.status
  if (status >= 500) request.log.error({ err: error, code: problem.code }, 'a request failed')
  if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
  return reply
    .code(status > 500 && status !== 503 ? 500 : status === 424 ? 500 : status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(renderProblem(problem)))
}

/** The failure of a request with an invalid field. */
export const refused = (path: string, why: string): Failure =>
  new Failure('input.invalid', `${path}: ${why}`, { path })
