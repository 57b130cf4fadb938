// Reads the URLs of sitemaps and feeds within limits. If a file is broken, it returns as many URLs as possible.
import { decodeChunks, unpack } from './sitemap-bytes.ts'
import { type SitemapEntry, type SitemapKind, SitemapXml } from './sitemap-xml.ts'

export interface Sitemap {
  kind: SitemapKind
  urls: SitemapEntry[]
  /** Further sitemaps that an index names. */
  sitemaps: string[]
  /** Whether URLs are missing: a limit was reached, or the end of the file is missing. */
  truncated: boolean
  /** Problems as text, for the report of the job. */
  problems: string[]
}

interface SitemapLimits {
  /** Maximum number of bytes of the decompressed file. */
  maxBytes: number
  /** Maximum number of URLs to read. The protocol allows 50,000; a larger number is reported as a problem. */
  maxUrls: number
}

const defaultLimits: SitemapLimits = { maxBytes: 50_000_000, maxUrls: 200_000 }
const urlsByProtocol = 50_000

/** Parses a sitemap. It never throws: if the file is not a sitemap, the result has no URLs and a problem. */
export function parseSitemap(body: Buffer | string, limits: Partial<SitemapLimits> = {}): Sitemap {
  const { maxBytes, maxUrls } = { ...defaultLimits, ...limits }
  const unpacked = unpack(typeof body === 'string' ? Buffer.from(body) : body, maxBytes)
  const chunks = decodeChunks(unpacked.bytes)
  const start = firstText(chunks)
  return withRemarks(readText(start, chunks, maxUrls), unpacked)
}

function readText(start: string, rest: Iterable<string>, maxUrls: number): Sitemap {
  if (/^<(?:!doctype\s+)?html\b/i.test(start)) return webPage
  return start.startsWith('<') ? readXml(start, rest, maxUrls) : readLines(start, rest, maxUrls)
}

/** The result for a web page. Many servers send a web page if the sitemap does not exist. */
const webPage: Sitemap = {
  kind: 'urlset',
  urls: [],
  sitemaps: [],
  truncated: false,
  problems: ['a web page, not a sitemap'],
}

function withRemarks(found: Sitemap, unpacked: { truncated: boolean; problem: string | null }): Sitemap {
  const problems = [...(unpacked.problem === null ? [] : [unpacked.problem]), ...found.problems]
  if (found.urls.length + found.sitemaps.length > urlsByProtocol)
    problems.push(`more than the ${urlsByProtocol} URLs that a sitemap may have`)
  return { ...found, problems, truncated: found.truncated || unpacked.truncated }
}

/** The first chunk that is not only white space. Leading white space is removed, because an XML declaration must come first. */
function firstText(chunks: Generator<string>): string {
  for (let next = chunks.next(); !next.done; next = chunks.next()) {
    const text = next.value.trimStart()
    if (text !== '') return text
  }
  return ''
}

function readXml(start: string, rest: Iterable<string>, maxUrls: number): Sitemap {
  const xml = new SitemapXml(maxUrls)
  xml.write(start)
  for (const chunk of rest) {
    if (xml.stopped) break
    xml.write(chunk)
  }
  xml.close()
  const { kind, urls, sitemaps, truncated, problems } = xml
  return { kind, urls, sitemaps, truncated, problems }
}

/** Parses a text sitemap with one URL per line. Other lines are counted. */
function readLines(start: string, rest: Iterable<string>, maxUrls: number): Sitemap {
  const urls: SitemapEntry[] = []
  let others = 0
  for (const line of linesOf(start, rest)) {
    if (urls.length >= maxUrls) {
      return textSitemap(urls, true, [`more than ${maxUrls} URLs; the rest was not read`])
    }
    if (/^https?:\/\//i.test(line)) urls.push({ loc: line })
    else if (line !== '') others++
  }
  return textSitemap(urls, false, others === 0 ? [] : [`lines that are not URLs: ${others}`])
}

const textSitemap = (urls: SitemapEntry[], truncated: boolean, problems: string[]): Sitemap => ({
  kind: 'text',
  urls,
  sitemaps: [],
  truncated,
  problems,
})

function* linesOf(start: string, rest: Iterable<string>): Generator<string> {
  let open = start
  for (const chunk of rest) {
    const lines = (open + chunk).split(/[\r\n]+/)
    open = lines.pop()!
    for (const line of lines) yield line.trim()
  }
  for (const line of open.split(/[\r\n]+/)) yield line.trim()
}
