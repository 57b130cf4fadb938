// CDXJ: one line per archived response, sorted by reversed URL, for lookup by bisection.
import { headerOf } from '../../model/page/page.ts'
import { warcMembers } from '../warc-members.ts'
import { responseOf } from '../warc-reader.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { warcChunks } from './warc.ts'

export interface CdxLine {
  /** The sort key. */
  key: string
  /** `20240131093000`. */
  timestamp: string
  url: string
  mime: string
  status: number
  digest: string
  offset: number
  length: number
}

/** `https://www.shop.example:8080/a?b=1` → `example,shop:8080)/a?b=1`. */
export function surtOf(address: string): string {
  const url = URL.parse(address.toLowerCase())
  if (!url || !/^https?:$/.test(url.protocol)) return address
  const host = url.hostname.replace(/^www\d*\./, '')
  url.searchParams.sort()
  return `${host.split('.').reverse().join(',')}${url.port === '' ? '' : `:${url.port}`})${url.pathname}${url.search}`
}

/** The responses in a part of a WARC file that starts at offset `start`. */
export function* cdxLines(bytes: Buffer, start: number): Generator<CdxLine> {
  for (const { offset, length, ...record } of warcMembers(bytes)) {
    if (record.headers.get('WARC-Type') !== 'response') continue
    const url = record.headers.get('WARC-Target-URI') ?? ''
    const { status, httpHeaders } = responseOf(record)
    yield {
      ...{ key: surtOf(url), url, status, offset: start + offset, length },
      timestamp: (record.headers.get('WARC-Date') ?? '').replace(/\D/g, '').slice(0, 14),
      mime: (headerOf(httpHeaders, 'content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase() || 'unk',
      digest: (record.headers.get('WARC-Payload-Digest') ?? '').replace(/^sha1:/, ''),
    }
  }
}

export function cdxText(lines: CdxLine[], fileName: string): string {
  const written = lines.map(({ key, timestamp, url, mime, status, digest, offset, length }) => {
    const fields = {
      url,
      mime,
      status: String(status),
      digest,
      length: String(length),
      offset: String(offset),
      filename: fileName,
    }
    return `${key} ${timestamp} ${JSON.stringify(fields)}\n`
  })
  // By bytes, as readers compare.
  return written
    .map(line => Buffer.from(line))
    .sort(Buffer.compare)
    .join('')
}

/** The index of the job's `-o pages.warc.gz`; the same name with another extension. */
export async function writeCdxj(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const lines: CdxLine[] = []
  let at = 0
  for await (const bytes of warcChunks(source)) {
    lines.push(...cdxLines(bytes, at))
    at += bytes.length
    onProgress({ rows: lines.length, bytes: 0 })
  }
  await sink.write(cdxText(lines, warcNameOf(source.path)))
  return lines.length
}

const warcNameOf = (path: string): string =>
  path === '-' ? 'pages.warc.gz' : (path.split(/[\\/]/).at(-1) ?? '').replace(/\.cdxj$/i, '.warc.gz')
