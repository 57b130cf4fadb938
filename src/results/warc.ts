// Writes WARC 1.1 records. In a compressed file, each record is compressed on its own, so that it can be read by range.
import { hash, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { STATUS_CODES } from '../lib/node-http.ts'
import type { HeaderList, Page } from '../model/page/page.ts'

interface WarcLinks {
  recordId?: string
  /** Record id of the warcinfo record at the start of the segment. */
  warcinfoId?: string
}

interface WarcInfoMeta {
  recordId: string
  date: number
  filename?: string
  software: string
  /** Further `application/warc-fields` lines, such as `operator` or `robots`. */
  fields?: Record<string, string>
}

export const recordEnd = Buffer.from('\r\n\r\n')

export const newRecordId = (): string => `<urn:uuid:${randomUUID()}>`

/** A deterministic id, for records that are written repeatedly. */
export function recordIdFor(name: string): string {
  const hex = hash('sha1', name)
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}>`
}

/** A response record, compressed. */
export const warcRecord = (page: Page, links: WarcLinks = {}): Buffer =>
  compress(plainWarcRecord(page, links))

/** A response record, uncompressed. Its target is the final URL; the requested URL is stored too. */
export const plainWarcRecord = (page: Page, links: WarcLinks = {}): Buffer =>
  Buffer.concat(warcRecordPieces(page, links))

/** The pieces of a response record, uncompressed. One of them is the body itself, so that it is not copied. */
export function warcRecordPieces(page: Page, links: WarcLinks = {}): Buffer[] {
  const httpHead = Buffer.from(httpHeadOf(page), 'latin1')
  const head = warcHeadOf(page, links, httpHead.length + page.body.length)
  return [Buffer.from(head), httpHead, page.body, recordEnd]
}

/** The stored form of a request. */
export interface WarcRequest {
  method: string
  url: string
  headers: HeaderList
  /** Digest of the body that was sent; null if there was none. */
  bodyDigest: string | null
  /** Stored only with page archives, because a replay finds the response of a POST by its body. */
  body?: Buffer | null
}
export const bodyDigestField = 'Kscrape-Body-Digest'

interface RequestLinks {
  /** Record id of the response. */
  answeredBy: string
  date: number
}

/** The request record of a response. Bodies may contain passwords, so usually only their digest is stored. */
export function plainWarcRequest(request: WarcRequest, links: RequestLinks): Buffer {
  const { host, pathname, search } = new URL(request.url)
  const lines = [['host', host], ...request.headers].map(
    ([name, value]) => `${name}: ${headerText(value!)}\r\n`,
  )
  const httpHead = `${request.method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`
  const block = Buffer.concat([Buffer.from(httpHead, 'latin1'), request.body ?? Buffer.alloc(0)])
  const head =
    `WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: ${newRecordId()}\r\n` +
    `WARC-Date: ${new Date(links.date).toISOString()}\r\nWARC-Target-URI: ${oneLine(request.url)}\r\n` +
    `WARC-Concurrent-To: ${links.answeredBy}\r\n` +
    (request.bodyDigest === null ? '' : `${bodyDigestField}: ${request.bodyDigest}\r\n`) +
    `Content-Type: application/http;msgtype=request\r\nContent-Length: ${block.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), block, recordEnd])
}

/** The first record of a file, compressed. */
export const warcInfo = (meta: WarcInfoMeta): Buffer => compress(plainWarcInfo(meta))

/** The first record of a file or segment, uncompressed. It names the software that wrote the file. */
export function plainWarcInfo(meta: WarcInfoMeta): Buffer {
  const fields = { software: meta.software, format: 'WARC File Format 1.1', ...meta.fields }
  const block = Object.entries(fields).map(([name, value]) => `${name}: ${oneLine(value)}\r\n`)
  const body = Buffer.from(block.join(''))
  const head =
    `WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: ${meta.recordId}\r\n` +
    `WARC-Date: ${new Date(meta.date).toISOString()}\r\n` +
    (meta.filename === undefined ? '' : `WARC-Filename: ${oneLine(meta.filename)}\r\n`) +
    `Content-Type: application/warc-fields\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body, recordEnd])
}

/** Facts about a page for which WARC has no field. They are one JSON line in our own field. */
export interface PageFacts {
  url: string
  wire_bytes: number
  ms: number
  hops?: Page['hops']
  request_headers?: Page['requestHeaders']
  /** Set only for rendered markup, which is not a response. */
  final_url?: string
  status?: number
  headers?: HeaderList
}
export const pageFactsField = 'Kscrape-Page'

function warcHeadOf(page: Page, links: WarcLinks, blockBytes: number): string {
  const address = page.remoteAddress
  return (
    `WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: ${links.recordId ?? newRecordId()}\r\n` +
    `WARC-Date: ${new Date(page.startedAt).toISOString()}\r\nWARC-Target-URI: ${oneLine(page.finalUrl)}\r\n` +
    (links.warcinfoId === undefined ? '' : `WARC-Warcinfo-ID: ${links.warcinfoId}\r\n`) +
    (address === null ? '' : `WARC-IP-Address: ${address}\r\n`) +
    `WARC-Protocol: ${protocolOf(page)}\r\n` +
    `WARC-Payload-Digest: ${payloadDigest(page.body)}\r\n` +
    `${pageFactsField}: ${JSON.stringify(factsOf(page))}\r\n` +
    `Content-Type: application/http;msgtype=response\r\nContent-Length: ${blockBytes}\r\n\r\n`
  )
}

export const payloadDigest = (body: Buffer): string => `sha1:${base32(hash('sha1', body, 'buffer'))}`

export const protocolOf = ({ httpVersion }: Pick<Page, 'httpVersion'>): string =>
  httpVersion === '2' ? 'h2' : 'http/1.1'

export function factsOf(page: Page): PageFacts {
  const facts: PageFacts = { url: page.url, wire_bytes: page.wireBytes, ms: page.endedAt - page.startedAt }
  if (page.hops.length > 0) facts.hops = page.hops
  if (page.requestHeaders) facts.request_headers = page.requestHeaders
  return facts
}

/** Headers that describe the body as it was transferred. The stored body is decoded, so these headers are
 *  stored under other names. */
const ofTheWire = new Set(['content-encoding', 'transfer-encoding', 'content-length'])
export const wirePrefix = 'x-orig-'

/** The head of a stored response. Its Content-Length is that of the decoded body. */
export function httpHeadOf(page: Pick<Page, 'status' | 'headers' | 'body'>): string {
  let head = `HTTP/1.1 ${page.status} ${STATUS_CODES[page.status] ?? ''}\r\n`
  for (const [name, value] of page.headers) {
    head += `${ofTheWire.has(name) ? wirePrefix : ''}${headerText(name)}: ${headerText(value)}\r\n`
  }
  return `${head}Content-Length: ${page.body.length}\r\n\r\n`
}

// Characters beyond Latin-1 are written as UTF-8 bytes. Otherwise Node's latin1 encoding would turn U+010A into a line
// feed.
function headerText(text: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) return text
  const bytes = /[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text
  return oneLine(bytes)
}

export const oneLine = (text: string): string => text.replace(/[\r\n\0]+/g, ' ')

// Level 1 is three times faster than the default. Its output is a tenth larger.
export const compress = (record: Buffer): Buffer => gzipSync(record, { level: 1 })

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 by RFC 4648 without padding. The length of a SHA-1 hash needs no padding. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += base32Digits[(held >> (bits - 5)) & 31]
  }
  return bits === 0 ? text : text + base32Digits[(held << (5 - bits)) & 31]
}
