// Parses a request: its URL, how often it was requested, and a posted form.
import type { IncomingMessage } from 'node:http'
import type { Visit } from './route.ts'

const maxFormBytes = 64 * 1_024
/** Maximum number of URLs that are counted. Above it the counters are reset, because an endless trap must not fill the memory. */
const maxCountedAddresses = 100_000

/** Returns `undefined` if the URL of the request is invalid. */
export async function readVisit(
  request: IncomingMessage,
  counts: Map<string, number>,
): Promise<Visit | undefined> {
  const origin = originOf(request)
  const url = URL.parse(request.url ?? '/', origin)
  if (!url) return undefined
  const form = await readForm(request)
  return {
    method: request.method ?? 'GET',
    url,
    origin,
    headers: request.headers,
    count: countVisit(request, counts),
    form,
  }
}

/** The origin from the Host header, so that links use the name under which the client knows this site. */
function originOf(request: IncomingMessage): string {
  const { localAddress, localPort } = request.socket
  const host = request.headers.host ?? ''
  const isUsable = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`)
  return `http://${isUsable ? host : `${localAddress}:${localPort}`}`
}

function countVisit(request: IncomingMessage, counts: Map<string, number>): number {
  if (counts.size >= maxCountedAddresses) counts.clear()
  const address = request.url ?? '/'
  const count = (counts.get(address) ?? 0) + 1
  counts.set(address, count)
  return count
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (request.method === 'GET' || request.method === 'HEAD') return new URLSearchParams()
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    if (text.length < maxFormBytes) text += chunk
  }
  return new URLSearchParams(text.slice(0, maxFormBytes))
}
