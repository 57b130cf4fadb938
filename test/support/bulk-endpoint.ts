// A fake OpenSearch: accepts the bulk API, stores documents by index and id, and fails if a test asks for it.
import { createServer } from 'node:http'
import { freePort } from './free-port.ts'
import { wholeBody } from './whole-body.ts'

export interface BulkEndpoint extends AsyncDisposable {
  url: string
  /** The stored documents, by `index/id`. */
  documents: Map<string, Record<string, unknown>>
  /** How often each document was sent. */
  sent: Map<string, number>
  requests: Array<{ authorization: string | undefined; lines: number }>
  /** Responses for the next requests. These requests store nothing. */
  answers: Array<{ status: number; headers?: Record<string, string> }>
  /** The status for a document, or null to accept it. */
  judge: (
    id: string,
    document: Record<string, unknown>,
  ) => { status: number; type: string; reason: string } | null
  /** Bodies longer than this are refused with 413. */
  mostBytes: number
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startBulkEndpoint(): Promise<BulkEndpoint> {
  const port = await freePort()
  const endpoint: BulkEndpoint = {
    url: `http://127.0.0.1:${port}`,
    documents: new Map(),
    sent: new Map(),
    requests: [],
    answers: [],
    judge: () => null,
    mostBytes: Number.POSITIVE_INFINITY,
    stop: () => closed(),
    start: () => listening(),
    [Symbol.asyncDispose]: () => closed(),
  }
  const server = createServer(async (request, response) => {
    const body = await wholeBody(request)
    // The test may have stopped the endpoint while the request arrived.
    if (body === null) return
    const lines = body.split('\n').filter(Boolean)
    endpoint.requests.push({ authorization: request.headers.authorization, lines: lines.length })
    const told = endpoint.answers.shift()
    const isBulk = request.method === 'POST' && request.url === '/_bulk'
    const status = told?.status ?? (isBulk ? (body.length > endpoint.mostBytes ? 413 : 200) : 404)
    response.writeHead(status, { 'content-type': 'application/json', ...told?.headers })
    response.end(status === 200 ? JSON.stringify(take(endpoint, lines)) : '{"error":"told so"}')
  })
  const listening = () => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const closed = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listening()
  return endpoint
}

function take(endpoint: BulkEndpoint, lines: string[]): unknown {
  const items = []
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const { _index, _id } = JSON.parse(lines[at]!).index as { _index: string; _id: string }
    const document = JSON.parse(lines[at + 1]!) as Record<string, unknown>
    endpoint.sent.set(_id, (endpoint.sent.get(_id) ?? 0) + 1)
    const error = endpoint.judge(_id, document)
    const status = error?.status ?? (endpoint.documents.has(`${_index}/${_id}`) ? 200 : 201)
    if (!error) endpoint.documents.set(`${_index}/${_id}`, document)
    items.push({ index: { _index, _id, status, ...(error && { error }) } })
  }
  return { took: 1, errors: items.some(({ index }) => 'error' in index), items }
}
