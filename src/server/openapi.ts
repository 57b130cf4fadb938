// Completes the OpenAPI document with parts that many routes share.
import { camel } from '../model/letter-case.ts'

interface Media {
  schema?: unknown
}

interface Answer {
  description?: string
  content?: Record<string, Media>
}

interface Operation {
  operationId?: string
  summary?: string
  security?: unknown[]
  requestBody?: unknown
  responses?: Record<string, Answer>
}

type Paths = Record<string, Record<string, Operation>>

const words: Record<string, string> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Accepted and durable.',
  503: 'Not now.',
}

/** Swagger's default description. */
const unsaid = 'Default Response'

const json = 'application/json'
const problem = { $ref: '#/components/schemas/problem' }

/** Content types of responses that are not JSON, by path. Other routes without a schema return files. */
const answerTypes: Record<string, string> = {
  '/jobs/{job_id}/events': 'text/event-stream',
  '/events': 'text/event-stream',
  '/metrics': 'text/plain',
}

/** `speaksForItself` returns true for paths with their own error format. */
export function completedPaths(paths: Paths, speaksForItself: (path: string) => boolean): Paths {
  const completedOperation = (path: string, method: string, operation: Operation): Operation => ({
    ...operation,
    operationId: operation.operationId ?? operationIdOf(method, path),
    ...(path.endsWith('/content') && method === 'put' && { requestBody: fileBody }),
    responses: responsesOf(path, operation, speaksForItself(path)),
  })
  return mapEntries(paths, (path, operations) =>
    mapEntries(operations, (method, operation) => completedOperation(path, method, operation)),
  )
}

const mapEntries = <Value, Result>(
  entries: Record<string, Value>,
  map: (key: string, value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, map(key, value)]))

const file = { schema: { type: 'string', format: 'binary' } }
const fileBody = { required: true, content: { 'application/octet-stream': file } }

/** `get /jobs/{job_id}/items` becomes `getJobsJobIdItems`: client generators use it as a method name. */
const operationIdOf = (method: string, path: string): string =>
  camel(`${method}_${path.replace(/[^a-zA-Z0-9]+/g, '_').replace(/^_|_$/g, '')}`)

function responsesOf(
  path: string,
  { responses = {}, security }: Operation,
  speaksForItself: boolean,
): Record<string, Answer> {
  const needsKey = (security?.length ?? 0) > 0 && !speaksForItself
  const all: Record<string, Answer> = {
    ...(hasSuccess(responses) ? {} : { 200: answerOf(path) }),
    ...responses,
    ...(needsKey && !responses[401] && { 401: refusal('The key is missing or unknown.') }),
    ...(needsKey && !responses[403] && { 403: refusal('The key lacks the required scope.') }),
  }
  return mapEntries(all, (status, answer) => completed(path, status, answer))
}

/** Swagger lists responses without a schema as empty. */
const hasSuccess = (responses: Record<string, Answer>): boolean =>
  Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content !== undefined)

const answerOf = (path: string): Answer => ({
  description: 'A stream.',
  content: { [answerTypes[path] ?? 'application/octet-stream']: file },
})

const refusal = (description: string): Answer => ({ description, content: { [json]: { schema: problem } } })

function completed(path: string, status: string, { description, content, ...answer }: Answer): Answer {
  const said = description && description !== unsaid ? description : words[status]
  const whole = content ?? (status.startsWith('2') ? answerOf(path).content : undefined)
  return {
    ...answer,
    description: said ?? 'See the summary.',
    ...(whole && { content: typed(status, whole) }),
  }
}

/** Errors are JSON, whatever the success response is. */
const typed = (status: string, content: Record<string, Media>): Record<string, Media> =>
  status.startsWith('2') ? content : { [json]: Object.values(content)[0]! }
