// Exchanges in WARC files: each response with its request.
import type { Page } from '../model/page/page.ts'
import {
  bodyDigestField,
  newRecordId,
  plainWarcRecord,
  plainWarcRequest,
  type WarcRequest,
  warcInfo,
  warcRecord,
  warcRequest,
} from './warc.ts'
import {
  blockAt,
  fieldsOf,
  pageOfRecord,
  responseOf,
  splitHead,
  unpack,
  type WarcBlock,
} from './warc-reader.ts'

export interface WarcExchange {
  request: WarcRequest
  page: Page
}

/** A whole file, small enough to store beside the code it tests. */
export function writeExchanges(exchanges: readonly WarcExchange[], software: string): Buffer {
  const warcinfoId = newRecordId()
  const date = exchanges[0]?.page.startedAt ?? 0
  const records = exchanges.flatMap(({ request, page }) => {
    const recordId = newRecordId()
    const response = warcRecord(page, { recordId, warcinfoId })
    return [response, warcRequest(request, { answeredBy: recordId, date: page.startedAt })]
  })
  return Buffer.concat([warcInfo({ recordId: warcinfoId, date, software }), ...records])
}

/** The uncompressed records of one exchange: the response, then its request. */
export function plainExchange({ request, page }: WarcExchange): Buffer[] {
  const recordId = newRecordId()
  return [
    plainWarcRecord(page, { recordId }),
    plainWarcRequest(request, { answeredBy: recordId, date: page.startedAt }),
  ]
}

/** Reads files of `writeExchanges` or of an export. A response without a request belongs to a GET. */
export function readExchanges(bytes: Buffer): WarcExchange[] {
  const records = blocksOf(isGzip(bytes) ? unpack(bytes) : bytes)
  const requests = new Map(
    records
      .filter(isOf('request'))
      .map(record => [record.headers.get('WARC-Concurrent-To'), requestOf(record)]),
  )
  return records.filter(isOf('response')).map(record => {
    const page = pageOfRecord(responseOf(record))
    return { page, request: requests.get(record.headers.get('WARC-Record-ID')) ?? get(page.url) }
  })
}

/** The page of these records: the last response. */
export const pageIn = (bytes: Buffer): Page => pageInPlain(unpack(bytes))

/** The same, of records that are unpacked. */
export function pageInPlain(plain: Buffer): Page {
  const records = blocksOf(plain)
  const response = records.length === 1 ? records[0] : records.findLast(isOf('response'))
  return pageOfRecord(responseOf(response!))
}

/** A page of a plain GET. */
export const asked = (page: Page): WarcExchange => ({ page, request: get(page.url) })

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b
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
