// Reads WARC: parses a record and its page.
import type { HeaderList, Page } from '../model/page/page.ts'
import { damaged, unpack } from './unpack.ts'
import { type PageFacts, pageFactsField, wirePrefix } from './warc.ts'

interface WarcRecord {
  /** Fields of the WARC record, with names as written. */
  headers: Map<string, string>
  status: number
  httpHeaders: HeaderList
  body: Buffer
}

/** Reads a response record. `bytes` must be exactly one member. */
export function readWarcRecord(bytes: Buffer): WarcRecord {
  return responseOf(blockAt(unpack(bytes), 0))
}

/** A record of any type: its header fields and its content. */
export interface WarcBlock {
  headers: Map<string, string>
  block: Buffer
  /** Offset of the next record. */
  end: number
}

/** The record that begins at `offset` of uncompressed WARC. */
export function blockAt(bytes: Buffer, offset: number): WarcBlock {
  const { lines, rest } = splitHead(bytes.subarray(offset), 'utf8')
  if (!/^WARC\/1\.[01]$/.test(lines[0]!)) throw damaged('it does not begin with "WARC/1.1"')
  const headers = new Map(fieldsOf(lines.slice(1)))
  const said = headers.get('Content-Length') ?? ''
  const length = Number(said)
  if (!/^\d+$/.test(said) || length > rest.length)
    throw damaged(`its block has ${rest.length} bytes, but its Content-Length is "${said.slice(0, 30)}"`)
  return {
    headers,
    block: rest.subarray(0, length),
    end: bytes.length - rest.length + length + recordEndBytes,
  }
}

const recordEndBytes = 4

export function responseOf({ headers, block }: WarcBlock): WarcRecord {
  const http = splitHead(block, 'latin1')
  const status = Number(/^HTTP\/\S+ (\d{3})/.exec(http.lines[0] ?? '')?.[1])
  if (Number.isNaN(status)) throw damaged('it holds no HTTP response')
  return { headers, status, httpHeaders: fieldsOf(http.lines.slice(1)), body: http.rest }
}

/** The page of a response, or of a resource with rendered markup. */
export function pageOfBlock(record: WarcBlock): Page {
  if (record.headers.get('WARC-Type') !== 'resource') return pageOfRecord(responseOf(record))
  const { status = 0, headers = [], final_url: finalUrl } = pageFactsOf(record)
  const page = pageOfRecord({ headers: record.headers, status, httpHeaders: [], body: record.block })
  return { ...page, headers, finalUrl: finalUrl ?? page.finalUrl }
}

export const pageFactsOf = ({ headers }: Pick<WarcBlock, 'headers'>): Partial<PageFacts> =>
  JSON.parse(headers.get(pageFactsField) ?? '{}')

/** Restores the page from its record. */
export function pageOfRecord(record: WarcRecord): Page {
  const facts = pageFactsOf(record)
  const startedAt = Date.parse(record.headers.get('WARC-Date') ?? '')
  const finalUrl = record.headers.get('WARC-Target-URI') ?? ''
  return {
    url: facts.url ?? finalUrl,
    finalUrl,
    status: record.status,
    headers: asReceived(record.httpHeaders),
    body: record.body,
    wireBytes: facts.wire_bytes ?? record.body.length,
    hops: facts.hops ?? [],
    remoteAddress: record.headers.get('WARC-IP-Address') ?? null,
    httpVersion: record.headers.get('WARC-Protocol') === 'h2' ? '2' : '1.1',
    startedAt,
    sentAt: startedAt,
    endedAt: startedAt + (facts.ms ?? 0),
    ...(facts.request_headers && { requestHeaders: facts.request_headers }),
  }
}

/** The headers as the site sent them. Received names are in lower case; our writer added `Content-Length` with
 *  capitals. */
export function asReceived(headers: HeaderList): HeaderList {
  return headers
    .filter(([name]) => name !== 'Content-Length')
    .map(([name, value]) => [name.startsWith(wirePrefix) ? name.slice(wirePrefix.length) : name, value])
}

export function splitHead(bytes: Buffer, encoding: 'utf8' | 'latin1'): { lines: string[]; rest: Buffer } {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) throw damaged('its head has no end')
  return { lines: bytes.toString(encoding, 0, end).split('\r\n'), rest: bytes.subarray(end + 4) }
}

export function fieldsOf(lines: string[]): Array<[string, string]> {
  return lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
}
