// Exchanges in WARC files: each response with its request.
import type { Page } from '../model/page/page.ts'
import { unpack } from './unpack.ts'
import {
  bodyDigestField,
  compress,
  newRecordId,
  pageFactsField,
  plainWarcRequest,
  type WarcRequest,
  warcInfo,
} from './warc.ts'
import { type PartRecord, pageRecords, partOfField } from './warc-parts.ts'
import { blockAt, fieldsOf, pageOfBlock, splitHead, type WarcBlock } from './warc-reader.ts'
import { isZstd } from './zstd-frames.ts'

export interface WarcExchange {
  request: WarcRequest
  page: Page
}

/** Builds a whole file in memory. Used for recordings, which are small. */
export function writeExchanges(exchanges: readonly WarcExchange[], software: string): Buffer {
  const warcinfoId = newRecordId()
  const date = exchanges[0]?.page.startedAt ?? 0
  const records = exchanges.flatMap(exchangeRecords).map(({ bytes }) => compress(bytes))
  return Buffer.concat([warcInfo({ recordId: warcinfoId, date, software }), ...records])
}

/** The uncompressed records of one exchange: its parts, the response, then its request. */
export function exchangeRecords({ request, page }: WarcExchange): PartRecord[] {
  const recordId = newRecordId()
  const records = pageRecords(page, recordId)
  // Rendered markup is not a response, so it has no request. The request of the document is among the parts.
  if (page.parts?.isWhole) return records
  const bytes = plainWarcRequest(request, { answeredBy: recordId, date: page.startedAt })
  return [...records, { bytes, bodyKey: null }]
}

/** Reads files of `writeExchanges` or of an export. If a response has no request record, the request was a GET. */
export function readExchanges(bytes: Buffer): WarcExchange[] {
  const records = blocksOf(isPacked(bytes) ? unpack(bytes) : bytes)
  const requests = new Map(
    records
      .filter(isOf('request'))
      .map(record => [record.headers.get('WARC-Concurrent-To'), requestOf(record)]),
  )
  return records.filter(isPage).map(record => {
    const page = pageOfBlock(record)
    return { page, request: requests.get(record.headers.get('WARC-Record-ID')) ?? get(page.url) }
  })
}

/** The page in compressed records. If a scraper stored several pages, the last one. */
export const pageIn = (bytes: Buffer): Page => pageInPlain(unpack(bytes))

/** The page in uncompressed records. If a scraper stored several pages, the last one. */
export function pageInPlain(plain: Buffer): Page {
  const records = blocksOf(plain)
  const page = records.length === 1 ? records[0] : records.findLast(isPage)
  return pageOfBlock(page!)
}

/** The exchange of a page that was requested with a plain GET. */
export const asked = (page: Page): WarcExchange => ({ page, request: get(page.url) })

const isPacked = (bytes: Buffer): boolean => isZstd(bytes) || (bytes[0] === 0x1f && bytes[1] === 0x8b)
/** True for a response or our rendered markup. False for redirects and resources of a page. */
export const isPage = ({ headers }: Pick<WarcBlock, 'headers'>): boolean => {
  const type = headers.get('WARC-Type')
  return (
    (type === 'response' && !headers.has(partOfField)) || (type === 'resource' && headers.has(pageFactsField))
  )
}
const isOf = (type: string) => (record: WarcBlock) => record.headers.get('WARC-Type') === type
const get = (url: string): WarcRequest => ({ method: 'GET', url, headers: [], bodyDigest: null })

function blocksOf(bytes: Buffer): WarcBlock[] {
  const blocks: WarcBlock[] = []
  for (let offset = 0; offset < bytes.length; offset = blocks.at(-1)!.end) blocks.push(blockAt(bytes, offset))
  return blocks
}

function requestOf({ headers, block }: WarcBlock): WarcRequest {
  const { lines } = splitHead(block, 'latin1')
  return {
    method: lines[0]!.split(' ', 1)[0]!,
    url: headers.get('WARC-Target-URI') ?? '',
    headers: fieldsOf(lines.slice(1)).filter(([name]) => name !== 'host'),
    bodyDigest: headers.get(bodyDigestField) ?? null,
  }
}
