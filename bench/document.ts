// How long does each parser take to parse a page, and to extract five fields and all links? `node bench/document.ts`
// Last result (2 cores, other programs running, Node 24.21, pages of 17,625 characters), µs per page:
//   ours: parse 62, with five fields and 36 links 79; parse5: 640; cheerio on htmlparser2: 440 and 650, on parse5: 1,690
import { load } from 'cheerio'
import { parse } from 'parse5'
import { compileSelector, parseDocument, selectAll, selectFirst } from '../src/extract/document/index.ts'
import { pageHtml } from './static/site.ts'

const pageCount = 200
const rounds = 9

/** Decoded from bytes, as a fetch returns them, so that each page is one flat string. */
const pages = Array.from({ length: pageCount }, (_, n) => Buffer.from(pageHtml(n, 20_000)).toString())

const title = compileSelector('title')
const canonical = compileSelector('link[rel=canonical]')
const price = compileSelector('.price')
const description = compileSelector('meta[name=description]')
const data = compileSelector('script[type="application/ld+json"]')
const anchor = compileSelector('a[href]')

function ours(html: string): unknown[] {
  const document = parseDocument(html)
  return [
    document.text(selectFirst(document, title)),
    document.attribute(selectFirst(document, canonical), 'href'),
    document.text(selectFirst(document, price)),
    document.attribute(selectFirst(document, description), 'content'),
    document.text(selectFirst(document, data)),
    ...selectAll(document, anchor).map(node => document.attribute(node, 'href')),
  ]
}

function cheerio(html: string, xml: boolean): unknown[] {
  const $ = load(html, xml ? { xml: { xmlMode: false } } : {})
  return [
    $('title').text(),
    $('link[rel=canonical]').attr('href'),
    $('.price').first().text(),
    $('meta[name=description]').attr('content'),
    $('script[type="application/ld+json"]').text(),
    ...$('a[href]')
      .toArray()
      .map(link => link.attribs.href),
  ]
}

/** Median over rounds of the time a page takes, in microseconds. */
function measure(work: (html: string) => unknown, times: number): number {
  const perPage: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = process.hrtime.bigint()
    for (let n = 0; n < times; n++) work(pages[n % pageCount]!)
    perPage.push(Number(process.hrtime.bigint() - started) / 1_000 / times)
  }
  return perPage.sort((a, b) => a - b)[rounds >> 1]!
}

const rows: Array<[string, (html: string) => unknown, number]> = [
  ['ours: parse', html => parseDocument(html), 4_000],
  ['ours: parse, five fields, links', ours, 4_000],
  ['ours by parse5: parse', html => parseDocument(html, { parser: 'spec' }), 200],
  ['parse5: parse', html => parse(html), 200],
  ['cheerio on htmlparser2: parse', html => load(html, { xml: { xmlMode: false } }), 400],
  ['cheerio on htmlparser2: parse, five fields, links', html => cheerio(html, true), 400],
  ['cheerio on parse5: parse, five fields, links', html => cheerio(html, false), 200],
]

const characters = Math.round(pages.reduce((sum, page) => sum + page.length, 0) / pageCount)
if (JSON.stringify(ours(pages[7]!)) !== JSON.stringify(cheerio(pages[7]!, false)))
  throw new Error('the parsers give different results, so their times cannot be compared')
console.log(
  `${pageCount} pages of ${characters} characters, node ${process.version}, µs a page (median of ${rounds})`,
)
for (const [name, work, times] of rows)
  console.log(`  ${name.padEnd(52)}${measure(work, times).toFixed(1).padStart(9)}`)
