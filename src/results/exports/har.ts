// Writes HAR 1.2: the requests and responses of a job's pages, for DevTools and other network tools.
import { isUtf8 } from 'node:buffer'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { STATUS_CODES } from '../../lib/node-http.ts'
import { type HeaderList, headerOf } from '../../model/page/page.ts'
import { bodyDigestField } from '../warc.ts'
import { isPage } from '../warc-exchanges.ts'
import { warcMembers } from '../warc-members.ts'
import { partOfField, tookMsField } from '../warc-parts.ts'
import {
  asReceived,
  fieldsOf,
  pageFactsOf,
  pageOfBlock,
  responseOf,
  splitHead,
  type WarcBlock,
} from '../warc-reader.ts'
import type { DescribePage } from './page-list.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { warcChunks } from './warc.ts'

interface HarPage {
  startedDateTime: string
  id: string
  title: string
  pageTimings: { onContentLoad: number; onLoad: number }
}

/** A response whose request is not read yet. The record of the request follows the record of the response. */
interface OpenEntry {
  record: WarcBlock
  request: WarcBlock | null
}

export async function writeHar(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const pages: HarPage[] = []
  let open: OpenEntry[] = []
  let page: HarPage | null = null
  let count = 0
  const finishPage = async (): Promise<void> => {
    if (page === null) return
    pages.push(page)
    for (const entry of open)
      await sink.write(`${count++ === 0 ? '' : ','}\n${JSON.stringify(harEntry(entry, page.id))}`)
    open = []
    page = null
    onProgress({ rows: pages.length, bytes: sink.bytes })
    await letOthersRun()
  }
  await sink.write('{"log":{"version":"1.2","creator":{"name":"kscrape","version":"1"},"entries":[')
  for await (const bytes of warcChunks(source, () => {}, { repeatsBodies: true })) {
    for (const { offset: _, length: __, ...record } of warcMembers(bytes)) {
      if (isRequest(record)) {
        attach(open, record)
        continue
      }
      // The request record of a page follows the record of the page. So the page is finished only when the
      // next record begins.
      await finishPage()
      if (record.headers.get('WARC-Type') === 'response') open.push({ record, request: null })
      if (isPage(record)) page = harPage(record, pages.length + 1, source.describePage)
    }
  }
  await finishPage()
  await sink.write(`\n],"pages":${JSON.stringify(pages)}}}\n`)
  return pages.length
}

const isRequest = ({ headers }: WarcBlock): boolean => headers.get('WARC-Type') === 'request'

function attach(open: OpenEntry[], request: WarcBlock): void {
  const id = request.headers.get('WARC-Concurrent-To')
  const entry = open.findLast(({ record }) => record.headers.get('WARC-Record-ID') === id)
  if (entry) entry.request = request
}

function harPage(record: WarcBlock, n: number, describe: DescribePage | undefined): HarPage {
  const page = pageOfBlock(record)
  return {
    startedDateTime: new Date(page.startedAt).toISOString(),
    id: `page_${n}`,
    title: describe?.(page)?.title || page.finalUrl,
    pageTimings: { onContentLoad: -1, onLoad: page.endedAt - page.startedAt },
  }
}

function harEntry({ record, request }: OpenEntry, pageref: string) {
  const { headers } = record
  const time = headers.has(partOfField)
    ? Number(headers.get(tookMsField) ?? 0)
    : (pageFactsOf(record).ms ?? 0)
  const address = headers.get('WARC-IP-Address')
  return {
    pageref,
    startedDateTime: headers.get('WARC-Date'),
    time,
    request: harRequest(record, request),
    response: harResponse(record),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(address && { serverIPAddress: address }),
  }
}

function harRequest(record: WarcBlock, request: WarcBlock | null) {
  const url = record.headers.get('WARC-Target-URI') ?? ''
  const { lines, rest } = request ? splitHead(request.block, 'latin1') : { lines: [], rest: Buffer.alloc(0) }
  const headers = request ? fieldsOf(lines.slice(1)) : (pageFactsOf(record).request_headers ?? [])
  return {
    method: lines[0]?.split(' ', 1)[0] ?? 'GET',
    url,
    httpVersion: httpVersionOf(record),
    cookies: [],
    headers: namesAndValues(headers),
    queryString: [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value })),
    ...(rest.length > 0 && {
      postData: { mimeType: lowerHeader(headers, 'content-type') ?? '', text: rest.toString() },
    }),
    headersSize: -1,
    // If only the digest of a body is stored, the size of the body is unknown.
    bodySize: request?.headers.has(bodyDigestField) && rest.length === 0 ? -1 : rest.length,
  }
}

function harResponse(record: WarcBlock) {
  const { status, httpHeaders, body } = responseOf(record)
  const headers = asReceived(httpHeaders)
  const isText = isUtf8(body)
  return {
    status,
    statusText: STATUS_CODES[status] ?? '',
    httpVersion: httpVersionOf(record),
    cookies: [],
    headers: namesAndValues(headers),
    content: {
      size: body.length,
      mimeType: headerOf(headers, 'content-type') ?? 'application/octet-stream',
      text: isText ? body.toString() : body.toString('base64'),
      ...(!isText && { encoding: 'base64' }),
    },
    redirectURL: status >= 300 && status < 400 ? (headerOf(headers, 'location') ?? '') : '',
    headersSize: -1,
    bodySize: Number(headerOf(headers, 'content-length') ?? -1),
  }
}

const httpVersionOf = ({ headers }: WarcBlock): string =>
  headers.get('WARC-Protocol') === 'h2' ? 'h2' : 'HTTP/1.1'

const namesAndValues = (headers: HeaderList) => headers.map(([name, value]) => ({ name, value }))

const lowerHeader = (headers: HeaderList, wanted: string): string | null =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null
