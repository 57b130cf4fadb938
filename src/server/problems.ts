// Problems: what any error becomes for the caller. Codes and statuses come from the failure table, never a stack.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { defaultWorkspace, idIn } from '../model/access.ts'
import { asFailure, Failure, type FailureCode } from '../model/failures.ts'
import { answerText } from './spelling.ts'
import { bodyTooLarge } from './too-large.ts'

export interface Problem {
  status: number
  code: string
  message: string
  /** The path of the field that is wrong, as the caller wrote it. */
  field?: string
  details: Record<string, unknown>
  /** Seconds. */
  retryAfter?: number
}

/** The usual form; a face may have its own. */
export const renderProblem = ({ code, message, field }: Problem, request: FastifyRequest) => ({
  error: { code, message, ...(field !== undefined && { field }), requestId: request.id },
})

const retryLaterSeconds = 5

export function problemOf(error: unknown, request: FastifyRequest): Problem {
  const failure = failureOf(error, request)
  const { code, message, details, rule } = failure
  const field = typeof details.path === 'string' ? details.path : undefined
  // What was asked for can't be had here: for the caller that is a mistake in the request, not an error of the server.
  const status = code === 'feature.missing' ? 422 : rule.http
  return {
    status,
    code,
    // What is not a Failure is a bug of ours; its words may hold anything.
    message:
      code === 'internal.bug' ? 'something went wrong here; the log has it under this request id' : message,
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

/** Errors of Fastify and its plugins, which say what they mean by a status. */
function fastifyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null
  const code = meanings[Number(error.statusCode)]
  return code ? new Failure(code, wordsOf(error, code), detailsOf(error), { cause: error }) : null
}

const words: Partial<Record<FailureCode, string>> = {
  'request.unsupported': 'bodies are JSON here: send "content-type: application/json"',
  'request.too-slow': 'the request took too long to arrive',
  'server.busy': 'the service has more to do than it can at the moment; ask again a little later',
}

const wordsOf = (error: Error, code: FailureCode): string => words[code] ?? error.message

/** Fastify's own error knows neither the route nor its limit. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'

const detailsOf = (error: Error): Record<string, unknown> =>
  'retryAfterMs' in error ? { retryAfterMs: error.retryAfterMs } : {}

/** What is deep inside speaks of ids as they are stored (see `idIn`); who asked knows the ids that were chosen. */
function inChosenIds(message: string, workspace: string = defaultWorkspace): string {
  const stored = idIn(workspace, '')
  return stored === '' ? message : message.replaceAll(new RegExp(`(?<=[\\w.-])${stored}(?![\\w.-])`, 'g'), '')
}

/** Answers with a problem, in the way of the face that the request belongs to. */
export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  render: (problem: Problem, request: FastifyRequest) => unknown = renderProblem,
): FastifyReply {
  const found = problemOf(error, request)
  const problem = { ...found, message: inChosenIds(found.message, request.caller?.workspace) }
  if (problem.status >= 500) request.log.error({ err: error, code: problem.code }, 'a request failed')
  // What fails before the first hook has none yet.
  reply.header('x-request-id', request.id)
  if (problem.retryAfter !== undefined) reply.header('retry-after', String(problem.retryAfter))
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(problem.status)
    .type('application/json; charset=utf-8')
    .send(answerText(render(problem, request)))
}
