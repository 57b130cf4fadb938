// Sends a response like a well-configured server: length, validators, 304, gzip.
import { createHash } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Reply } from './route.ts'

/** Smaller bodies do not gain from gzip. */
const worthCompressingBytes = 1_024

export function send(response: ServerResponse, request: IncomingMessage, reply: Reply): void {
  const { status, headers, body } = prepare(request, reply)
  response.writeHead(status, headers)
  // Node itself omits the body for a HEAD request.
  response.end(body)
}

function prepare(
  request: IncomingMessage,
  reply: Reply,
): { status: number; headers: OutgoingHttpHeaders; body?: Uint8Array } {
  const { status = 200, headers: given = {} } = reply
  const body = Buffer.from(reply.body ?? '')
  const headers: OutgoingHttpHeaders = { ...validators(status, given, body), ...given }
  if (status === 200 && isUnchanged(request, headers))
    return { status: 304, headers: keepForUnchanged(headers) }
  if (status < 200 || status === 204 || status === 304) return { status, headers }
  if (!isCompressible(request, given, body))
    return { status, headers: { ...headers, 'content-length': body.length }, body }

  const sent = gzipSync(body, { level: 4 })
  const about = { 'content-encoding': 'gzip', 'content-length': sent.length, vary: 'accept-encoding' }
  return { status, headers: { ...headers, ...about }, body: sent }
}

/** Adds an entity tag to every page without a Last-Modified date. */
function validators(status: number, given: OutgoingHttpHeaders, body: Uint8Array): OutgoingHttpHeaders {
  if (status !== 200 || given['last-modified'] || body.length === 0) return {}
  return { etag: `"${createHash('sha1').update(body).digest('base64url')}"` }
}

function isUnchanged(request: IncomingMessage, headers: OutgoingHttpHeaders): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined)
    return tags.split(/\s*,\s*/).some(tag => tag === '*' || tag.replace(/^W\//, '') === headers.etag)
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return Date.parse(String(headers['last-modified'])) <= since
}

function keepForUnchanged(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { 'content-type': _type, 'content-length': _length, ...kept } = headers
  return kept
}

function isCompressible(request: IncomingMessage, given: OutgoingHttpHeaders, body: Uint8Array): boolean {
  if (body.length < worthCompressingBytes || given['content-encoding']) return false
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return false
  return /^text\/|json|xml|javascript/.test(String(given['content-type'] ?? ''))
}
