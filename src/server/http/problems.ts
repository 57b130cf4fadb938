// Turns any error into a problem for the caller. Codes and statuses come from the failure table; stacks are never shown.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { defaultWorkspace, idIn } from '../../model/access.ts'
import { asFailure, Failure, type FailureCode } from '../../model/failures.ts'
import { answerText } from './letter-case.ts'
import { bodyTooLarge } from './too-large.ts'

export interface Problem {
  status: number
  code: string
  message: string
  /** Path of the invalid field, under the name that the caller used. */
  field?: string
  details: Record<string, unknown>
  /** Retry-After, in seconds. */
  retryAfter?: number
}

/** The default error format; a route group may have its own. */
export const renderProblem = ({ code, message, field }: Problem, request: FastifyRequest) => ({
  error: { code, message, ...(field !== undefined && { field }), requestId: request.id },
})

const retryLaterSeconds = 5

export function problemOf(error: unknown, request: FastifyRequest): Problem {
  const failure = failureOf(error, request)
  const { code, message, details, rule } = failure
  const field = typeof details.path === 'string' ? details.path : undefined
  // A missing feature is an invalid request for the caller, not a server error.
  const status = code === 'feature.missing' ? 422 : rule.http
  return {
    status,
    code,
    // Any other error is a bug. Its message may contain secrets, so it is hidden.
    message:
      code === 'internal.bug' ? 'internal error; the log has the details under this request id' : message,
    ...(field !== undefined && { field }),
    details,
    ...((status === 503 || status === 429 || 'retryAfterMs' in details) && {
      retryAfter: retryAfterOf(details),
    }),
  }
}

function failureOf(error: unknown, request: FastifyRequest): Failure {
  if (error instanceof Failure) return error
  return isTooLarge(error) ? bodyTooLarge(request) : (fastifyFailure(error) ?? asFailure(error))
}

function retryAfterOf({ retryAfterMs }: Record<string, unknown>): number {
  return typeof retryAfterMs === 'number' ? Math.max(1, Math.ceil(retryAfterMs / 1_000)) : retryLaterSeconds
}

const meanings: Record<number, FailureCode> = {
  400: 'request.invalid',
  404: 'route.unknown',
  405: 'method.not-allowed',
  408: 'request.too-slow',
  413: 'request.too-large',
  414: 'request.invalid',
  415: 'request.unsupported',
  429: 'request.too-many',
  503: 'server.busy',
}

/** Errors of Fastify and its plugins, which carry a status. */
function fastifyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null
  const code = meanings[Number(error.statusCode)]
  return code ? new Failure(code, wordsOf(error, code), detailsOf(error), { cause: error }) : null
}

const words: Partial<Record<FailureCode, string>> = {
  'request.unsupported': 'bodies must be JSON: send "content-type: application/json"',
  'request.too-slow': 'the request took too long to arrive',
  'server.busy': 'the service is overloaded; retry later',
}

const wordsOf = (error: Error, code: FailureCode): string => words[code] ?? error.message

/** Whether Fastify refused a body because of its size. Fastify's error names neither the route nor the limit. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'

const detailsOf = (error: Error): Record<string, unknown> =>
  'retryAfterMs' in error ? { retryAfterMs: error.retryAfterMs } : {}

/** Replaces stored ids (see `idIn`) by the ids that callers chose and know. */
function inChosenIds(message: string, workspace: string = defaultWorkspace): string {
  const stored = idIn(workspace, '')
  return stored === '' ? message : message.replaceAll(new RegExp(`(?<=[\\w.-])${stored}(?![\\w.-])`, 'g'), '')
}

/** Sends a problem in the error format of the request's route group. */
export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  render: (problem: Problem, request: FastifyRequest) => unknown = renderProblem,
): FastifyReply {
  const found = problemOf(error, request)
  const problem = { ...found, message: inChosenIds(found.message, request.caller?.workspace) }
  if (problem.status >= 500) request.log.error({ err: error, code: problem.code }, 'a request failed')
  // The first hook sets this header too, but a request may fail before that hook runs.
  reply.header('x-request-id', request.id)
  if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .send(answerText(render(problem, request)))
}
