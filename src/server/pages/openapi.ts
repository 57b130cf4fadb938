// Adds to the OpenAPI document what many routes share: error responses, operation ids, named schemas.
import { isDeepStrictEqual } from 'node:util'
import { camel } from '../../model/letter-case.ts'
import { componentNames } from '../api-words/component-names.ts'
import { operationDescriptions } from '../api-words/operation-descriptions.ts'

interface Media {
  schema?: unknown
}

interface Answer {
  $ref?: string
  description?: string
  content?: Record<string, Media>
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string | undefined
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

/** The description that Swagger adds to a response without one. */
const unsaid = 'Default Response'

const json = 'application/json'
const problem = { $ref: '#/components/schemas/Problem' }

const refusalTexts = {
  400: 'The body is not valid JSON.',
  401: 'The key is missing or unknown.',
  403: 'The key lacks the required scope.',
  404: 'The object does not exist, or it belongs to another workspace.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  422: 'A value is invalid. `error.field` names it.',
  429: 'Too many requests. `Retry-After` says when to try again.',
  500: 'An error of the service. Report it with its request id.',
  503: 'The service is busy or not ready. Try again later.',
} as const

/** Responses that many routes share, for `components.responses`. */
export const sharedResponses: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(refusalTexts).map(([status, description]) => [
    `Error${status}`,
    { description, content: { [json]: { schema: problem } } },
  ]),
)

/** Content types of responses that are not JSON, by path. Other routes without a response schema return files. */
const answerTypes: Record<string, string> = {
  '/jobs/{job_id}/events': 'text/event-stream',
  '/events': 'text/event-stream',
  '/metrics': 'text/plain',
}

/** `speaksForItself` returns true for paths that document their own error format. */
export function completedPaths(paths: Paths, speaksForItself: (path: string) => boolean): Paths {
  const completedOperation = (path: string, method: string, operation: Operation): Operation => ({
    ...operation,
    description: operation.description ?? operationDescriptions[`${method} ${path}`],
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
  { responses = {}, security, requestBody }: Operation,
  speaksForItself: boolean,
): Record<string, Answer> {
  const needsKey = (security?.length ?? 0) > 0 && !speaksForItself
  const hasBody = requestBody !== undefined
  const all: Record<string, Answer> = {
    ...(hasSuccess(responses) ? {} : { 200: answerOf(path) }),
    ...responses,
    ...(!speaksForItself && refusalsOf(path, { needsKey, hasBody }, responses)),
  }
  return mapEntries(all, (status, answer) => completed(path, status, answer))
}

/** The error responses that a route can send and does not describe itself. */
function refusalsOf(
  path: string,
  { needsKey, hasBody }: { needsKey: boolean; hasBody: boolean },
  said: Record<string, Answer>,
): Record<string, Answer> {
  const possible = [
    ...(needsKey ? [401, 403] : []),
    ...(path.includes('{') ? [404] : []),
    ...(hasBody ? [400, 413, 415] : []),
    ...[422, 429, 500, 503],
  ]
  return Object.fromEntries(
    possible
      .filter(status => said[status] === undefined)
      .map(status => [status, { $ref: `#/components/responses/Error${status}` }]),
  )
}

/** Whether a route describes a successful response. Swagger adds an empty entry for a response without a schema. */
const hasSuccess = (responses: Record<string, Answer>): boolean =>
  Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content !== undefined)

const answerOf = (path: string): Answer => ({
  description: 'A stream.',
  content: { [answerTypes[path] ?? 'application/octet-stream']: file },
})

function completed(path: string, status: string, whole: Answer): Answer {
  if (whole.$ref) return whole
  const { description, content, ...answer } = whole
  const said = description && description !== unsaid ? description : words[status]
  const types = content ?? (status.startsWith('2') ? answerOf(path).content : undefined)
  return {
    ...answer,
    description: said ?? 'See the summary.',
    ...(types && { content: typed(status, types) }),
  }
}

/** Errors are JSON, even if the successful response has another content type. */
const typed = (status: string, content: Record<string, Media>): Record<string, Media> =>
  status.startsWith('2') ? content : { [json]: Object.values(content)[0]! }

/** Moves the schemas of bodies and successful responses into components. The name comes from `componentNames`, or else from
 *  the operation. */
export function withNamedSchemas(paths: Paths): { paths: Paths; schemas: Record<string, unknown> } {
  const schemas: Record<string, unknown> = {}
  const named = (operation: string, content: Record<string, Media>): Record<string, Media> =>
    mapEntries(content, (type, media) => {
      if (type !== json || !isInline(media.schema)) return media
      const shared = componentNames[operation] ?? operation
      const name = isFree(schemas[shared], media.schema) ? shared : operation
      schemas[name] = media.schema
      return { ...media, schema: { $ref: `#/components/schemas/${name}` } }
    })
  const moved = mapEntries(paths, (_path, operations) =>
    mapEntries(operations, (_method, operation) => {
      const base = operation.operationId!.replace(/^./, letter => letter.toUpperCase())
      const body = operation.requestBody as { content?: Record<string, Media> } | undefined
      return {
        ...operation,
        ...(body?.content && { requestBody: { ...body, content: named(`${base}Body`, body.content) } }),
        responses: mapEntries(operation.responses ?? {}, (status, answer) =>
          answer.content && status.startsWith('2')
            ? { ...answer, content: named(`${base}Result${status === '200' ? '' : status}`, answer.content) }
            : answer,
        ),
      }
    }),
  )
  return { paths: moved, schemas }
}

const isFree = (taken: unknown, schema: unknown): boolean =>
  taken === undefined || isDeepStrictEqual(taken, schema)

const isInline = (schema: unknown): boolean =>
  typeof schema === 'object' && schema !== null && !('$ref' in schema) && 'properties' in schema

/** Moves these properties to the front of every schema that has all of them. */
export function withFirst(value: unknown, first: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(entry => withFirst(entry, first))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      key === 'properties' ? reordered(entry, first) : withFirst(entry, first),
    ]),
  )
}

function reordered(properties: unknown, first: readonly string[]): unknown {
  const inner = Object.entries(properties as object).map(
    ([name, entry]) => [name, withFirst(entry, first)] as const,
  )
  const names = new Set(inner.map(([name]) => name))
  if (!first.every(name => names.has(name))) return Object.fromEntries(inner)
  const rest = inner.filter(([name]) => !first.includes(name))
  return Object.fromEntries([...first.map(name => inner.find(([key]) => key === name)!), ...rest])
}
