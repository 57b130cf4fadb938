// Creates the WARC records of a page that was archived with its parts, such as images and styles. First come
// a response and a request for each exchange, then the page or its rendered markup.
import { randomUUID } from 'node:crypto'
import type { BlobRef, Page } from '../model/page/page.ts'
import type { PartExchange, SkippedPart } from '../model/page/page-parts.ts'
import {
  factsOf,
  httpHeadOf,
  oneLine,
  type PageFacts,
  pageFactsField,
  payloadDigest,
  plainWarcRecord,
  plainWarcRequest,
  protocolOf,
  recordEnd,
} from './warc.ts'

/** Header with the record id of the page to which a part belongs. A record with this header is not a page. */
export const partOfField = 'Kscrape-Part-Of'
/** Header with the request method of a part, if it is not GET. Only response bodies of GET requests are
 *  shared. */
export const partMethodField = 'Kscrape-Method'
/** Header of a body that the browser returned as text. The received bytes are unknown, and the body is stored
 *  as UTF-8. */
const reencodedField = 'Kscrape-Reencoded'
/** Header with the milliseconds from the request to the headers of the response. */
export const tookMsField = 'Kscrape-Took-Ms'
/** Header with the position of a revisit's body: segment, offset, length. */
export const payloadAtField = 'Kscrape-Payload-At'

/** Rendered markup was never a response, so its record does not have the URL of the page. */
const markupUri = (url: string): string => `urn:dom:${url}`

const revisitProfile = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'

/** An uncompressed record. Equal bodies of one host are stored once; `bodyKey` identifies them. */
export interface PartRecord {
  bytes: Buffer
  /** Null if no other record may share this body. */
  bodyKey: string | null
  /** Builds the same record without its body, which is stored at the given position. */
  revisit?: (original: OriginalBody) => Buffer
  original?: Omit<OriginalBody, 'at'>
}

export interface OriginalBody {
  url: string
  date: string
  at: BlobRef
}

/** The records of a page. The page itself is the last response or resource. */
export function pageRecords(page: Page, recordId = newId()): PartRecord[] {
  const { parts } = page
  if (!parts) return [whole(plainWarcRecord(page, { recordId }))]
  const own = parts.isWhole ? markupRecord(page, recordId) : plainWarcRecord(page, { recordId })
  const skipped = parts.skipped.length > 0 ? [whole(skippedRecord(page, parts.skipped, recordId))] : []
  return [...parts.exchanges.flatMap(part => partRecords(part, recordId)), ...skipped, whole(own)]
}

const whole = (bytes: Buffer): PartRecord => ({ bytes, bodyKey: null })

const newId = (): string => `<urn:uuid:${randomUUID()}>`

function partRecords(part: PartExchange, pageId: string): PartRecord[] {
  const recordId = newId()
  const httpHead = Buffer.from(httpHeadOf(part), 'latin1')
  const digest = payloadDigest(part.body)
  const date = isoOf(part.startedAt)
  const record = (type: 'response' | 'revisit', fields: Fields, body: Buffer) =>
    plainRecord(
      {
        'WARC-Type': type,
        'WARC-Record-ID': recordId,
        'WARC-Date': date,
        'WARC-Target-URI': part.url,
        'WARC-IP-Address': part.remoteAddress,
        'WARC-Protocol': protocolOf(part),
        'WARC-Payload-Digest': digest,
        [partOfField]: pageId,
        [tookMsField]: String(part.endedAt - part.startedAt),
        [partMethodField]: part.method === 'GET' ? null : part.method,
        [reencodedField]: part.isReencoded ? 'utf-8' : null,
        ...fields,
        'Content-Type': 'application/http;msgtype=response',
      },
      Buffer.concat([httpHead, body]),
    )
  const request = plainWarcRequest(
    {
      method: part.method,
      url: part.url,
      headers: part.requestHeaders,
      bodyDigest: null,
      body: part.requestBody,
    },
    { answeredBy: recordId, date: part.startedAt },
  )
  return [
    {
      bytes: record('response', {}, part.body),
      bodyKey: part.method === 'GET' && part.body.length > 0 ? bodyKey(part.url, digest) : null,
      revisit: original => record('revisit', revisitFields(original), Buffer.alloc(0)),
      original: { url: part.url, date },
    },
    whole(request),
  ]
}

/** Identifies a body within its host. Hosts share no bodies, because erasing one host must not remove bodies of
 *  another. */
export const bodyKey = (url: string, digest: string): string => `${URL.parse(url)?.host} ${digest}`

export const revisitFields = ({ url, date, at }: Omit<OriginalBody, 'at'> & { at?: BlobRef }): Fields => ({
  'WARC-Profile': revisitProfile,
  'WARC-Refers-To-Target-URI': url,
  'WARC-Refers-To-Date': date,
  [payloadAtField]: at ? `${at.key} ${at.offset} ${at.length}` : null,
})

function markupRecord(page: Page, recordId: string): Buffer {
  const { finalUrl, status, headers } = page
  const facts: PageFacts = { ...factsOf(page), final_url: finalUrl, status, headers }
  return plainRecord(
    {
      'WARC-Type': 'resource',
      'WARC-Record-ID': recordId,
      'WARC-Date': isoOf(page.startedAt),
      'WARC-Target-URI': markupUri(finalUrl),
      'WARC-Payload-Digest': payloadDigest(page.body),
      [pageFactsField]: JSON.stringify(facts),
      'Content-Type': 'text/html; charset=utf-8',
    },
    page.body,
  )
}

function skippedRecord(page: Page, skipped: readonly SkippedPart[], recordId: string): Buffer {
  return plainRecord(
    {
      'WARC-Type': 'metadata',
      'WARC-Record-ID': newId(),
      'WARC-Date': isoOf(page.startedAt),
      'WARC-Target-URI': `urn:skipped:${page.finalUrl}`,
      'WARC-Refers-To': recordId,
      'Content-Type': 'application/json',
    },
    Buffer.from(JSON.stringify({ skipped })),
  )
}

export type Fields = Record<string, string | null>

export function plainRecord(fields: Fields, block: Buffer): Buffer {
  const lines = Object.entries({ ...fields, 'Content-Length': String(block.length) }).flatMap(
    ([name, value]) => (value === null ? [] : [`${name}: ${oneLine(value)}\r\n`]),
  )
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), block, recordEnd])
}

const isoOf = (ms: number): string => new Date(ms).toISOString()
