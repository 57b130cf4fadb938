// Writes CDXJ: one line per archived response. Lines are sorted by URL, with the parts of the host name reversed, so
// that readers can use binary search.
import { headerOf } from '../../model/page/page.ts'
import { warcMembers } from '../warc-members.ts'
import { fieldsOf, responseOf, splitHead, type WarcBlock } from '../warc-reader.ts'
import { indexedRequest } from './request-key.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { warcChunks } from './warc.ts'

export interface CdxLine {
  /** The sort key. */
  key: string
  /** The UTC time in 14 digits, such as `20240131093000`. */
  timestamp: string
  url: string
  mime: string
  /** Null for a resource, which has no status. */
  status: number | null
  digest: string
  offset: number
  length: number
  /** Method of the request, if it is not GET. */
  method?: string
  /** Body of the request, written as a query. */
  requestBody?: string
}

/** The sort key of a URL. For example, `https://www.shop.example:8080/a?b=1` becomes `example,shop:8080)/a?b=1`. */
function surtOf(address: string): string {
  const url = URL.parse(address.toLowerCase())
  if (!url || !/^https?:$/.test(url.protocol)) return address
  const host = url.hostname.replace(/^www\d*\./, '')
  const query = url.search.slice(1).split('&').sort().join('&')
  const place = `${host.split('.').reverse().join(',')}${url.port === '' ? '' : `:${url.port}`}`
  return `${place})${url.pathname}${query === '' ? '' : `?${query}`}`
}

/** Index lines of the responses, revisits and resources in `bytes`. `bytes` is a part of a WARC file and
 *  starts at offset `start` of that file. */
export function* cdxLines(
  bytes: Buffer,
  start: number,
  onRecord: (record: WarcBlock) => void = () => {},
): Generator<CdxLine> {
  let last: { line: CdxLine; id: string | undefined } | null = null
  for (const { offset, length, ...record } of warcMembers(bytes)) {
    onRecord(record)
    // A request record follows the record of its response.
    if (isRequestOf(record, last?.id)) completeLine(last!.line, record)
    else {
      if (last) yield last.line
      const line = lineOf(record, start + offset, length)
      last = line && { line, id: record.headers.get('WARC-Record-ID') }
    }
  }
  if (last) yield last.line
}

const indexed = new Set(['response', 'revisit', 'resource'])

function lineOf({ headers, ...record }: WarcBlock, offset: number, length: number): CdxLine | null {
  const type = headers.get('WARC-Type') ?? ''
  if (!indexed.has(type)) return null
  const url = headers.get('WARC-Target-URI') ?? ''
  const http = type === 'resource' ? null : responseOf({ headers, ...record })
  const contentType = http ? headerOf(http.httpHeaders, 'content-type') : headers.get('Content-Type')
  const mime = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase() || 'unk'
  return {
    ...{ key: surtOf(url), url, offset, length, status: http?.status ?? null },
    timestamp: (headers.get('WARC-Date') ?? '').replace(/\D/g, '').slice(0, 14),
    mime: type === 'revisit' ? 'warc/revisit' : mime,
    digest: (headers.get('WARC-Payload-Digest') ?? '').replace(/^sha1:/, ''),
  }
}

const isRequestOf = ({ headers }: WarcBlock, id: string | undefined): boolean =>
  id !== undefined && headers.get('WARC-Type') === 'request' && headers.get('WARC-Concurrent-To') === id

function completeLine(line: CdxLine, { block }: WarcBlock): void {
  const { lines, rest } = splitHead(block, 'latin1')
  const method = lines[0]!.split(' ', 1)[0]!
  if (method === 'GET') return
  const contentType =
    fieldsOf(lines.slice(1)).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  const { requestBody, url } = indexedRequest(method, line.url, contentType, rest)
  Object.assign(line, { method, key: surtOf(url), ...(requestBody !== '' && { requestBody }) })
}

export function cdxText(lines: CdxLine[], fileName: string): string {
  const written = lines.map(({ key, timestamp, status, offset, length, ...line }) => {
    const { url, mime, digest, method, requestBody } = line
    const fields = {
      url,
      mime,
      ...(status !== null && { status: String(status) }),
      digest,
      ...(method !== undefined && { method }),
      ...(requestBody !== undefined && { requestBody }),
      length: String(length),
      offset: String(offset),
      filename: fileName,
    }
    return `${key} ${timestamp} ${JSON.stringify(fields)}\n`
  })
  // Sort by bytes, because readers compare bytes.
  return written
    .map(line => Buffer.from(line))
    .sort(Buffer.compare)
    .join('')
}

/** Writes the index of the job's WARC export. The index `pages.cdxj` refers to the file `pages.warc.gz`, which is
 *  exported separately. */
export async function writeCdxj(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const lines: CdxLine[] = []
  let at = 0
  for await (const bytes of warcChunks(source)) {
    for (const line of cdxLines(bytes, at)) lines.push(line)
    at += bytes.length
    onProgress({ rows: lines.length, bytes: 0 })
  }
  await sink.write(cdxText(lines, warcNameOf(source.path)))
  return lines.length
}

const warcNameOf = (path: string): string =>
  path === '-' ? 'pages.warc.gz' : (path.split(/[\\/]/).at(-1) ?? '').replace(/\.cdxj$/i, '.warc.gz')
