// How much CPU time does it take to extract links, fields, the default record and markdown, compared with other libraries?
// Needs `bench/setup` once. Targets: five fields and links in a tenth of cheerio's time, the default record in an eighth of the
// time of linkedom, Readability and turndown together.
import assert from 'node:assert/strict'
import { mainContent } from '../src/extract/content/main-content.ts'
import { toMarkdown } from '../src/extract/content/markdown.ts'
import { defaultRecord } from '../src/extract/default-record.ts'
import { type FlatDocument, parseDocument } from '../src/extract/document/index.ts'
import { findLinks } from '../src/extract/links.ts'
import type { RulesContext } from '../src/extract/rules/index.ts'
import { applyRules, compileRules } from '../src/extract/rules/index.ts'
import type { Extracted } from '../src/model/record.ts'
import { coerce } from '../src/normalize/index.ts'
import { longPage, shopPage } from './extract/pages.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'
import * as peers from './peers/extraction.mjs'

type Work = (html: string) => unknown

interface Contender {
  name: string
  work: Work
}

interface Question {
  name: string
  ours: Work
  others: Contender[]
  /** The required speed of our code, as a multiple of the speed of each other library. Null without a target. */
  target: number | null
}

const url = 'https://shop.example/p/1.html'
const notes = { url, finalUrl: url, status: 200, fetchedAt: 0 }
const rounds = 7
/** The least CPU time that one contender spends on its pages in one round. */
const roundMs = 250
/** The clock is read only after this many pages, because reading it costs as much as a small page. */
const pagesPerLook = 5

const rules = compileRules({
  fields: {
    title: 'title',
    canonical: { css: 'link[rel=canonical]', attr: 'href' },
    price: '.price',
    description: { css: 'meta[name=description]', attr: 'content' },
    heading: 'article h1',
  },
})
// No rule has a regex, so this is never called.
const regex = { run: async () => [], [Symbol.asyncDispose]: async () => {} }
const contextOf = (source: string): RulesContext => ({ url, baseUrl: url, source, coerce, regex })

/** Releases the document after use, as a lane does, so that its memory is reused. */
function reading<Result>(html: string, read: (document: FlatDocument) => Result): Result {
  const document = parseDocument(html)
  const result = read(document)
  document.release()
  return result
}

const ourLinks = (html: string) => reading(html, document => findLinks(document, url).hrefs)

const ourFields = (html: string) =>
  reading(html, document => {
    const { hrefs } = findLinks(document, url)
    const [record] = applyRules(document, rules, contextOf(html)) as Extracted[]
    return { fields: record!.data, links: hrefs }
  })

const ourMarkdown = (html: string): string =>
  reading(html, document => toMarkdown(document, mainContent(document), url))

const questions: Question[] = [
  {
    name: 'links only',
    ours: ourLinks,
    target: null,
    others: [
      { name: 'cheerio, htmlparser2', work: html => peers.cheerioLinks(html, true) },
      { name: 'cheerio, parse5', work: html => peers.cheerioLinks(html, false) },
      { name: 'parse5', work: peers.parse5Links },
    ],
  },
  {
    name: 'five fields and links',
    ours: ourFields,
    target: 10,
    others: [
      { name: 'cheerio, htmlparser2', work: html => peers.cheerioFields(html, true) },
      { name: 'cheerio, parse5', work: html => peers.cheerioFields(html, false) },
    ],
  },
  {
    name: 'default record',
    ours: html => reading(html, document => defaultRecord(document, notes)),
    target: 8,
    others: [{ name: 'linkedom, Readability, turndown', work: peers.readableMarkdown }],
  },
  {
    name: 'markdown of the main content',
    ours: ourMarkdown,
    target: null,
    others: [
      { name: 'linkedom, Readability, turndown', work: peers.readableMarkdown },
      { name: 'turndown alone, whole page', work: peers.wholeMarkdown },
    ],
  },
]

/** Checks that all contenders do the same work; otherwise the times are not comparable. */
function checkSameWork(html: string): void {
  const ours = ourFields(html)
  for (const isForgiving of [true, false]) {
    const theirs = peers.cheerioFields(html, isForgiving)
    assert.deepEqual(Object.values(ours.fields), Object.values(theirs.fields))
    // Our result also contains the canonical link, as the first one.
    assert.deepEqual(ours.links.slice(1), theirs.links)
  }
  const sentence = /<i>(.*?)<\/i>/.exec(html)![1]!
  assert.ok(ourMarkdown(html).includes(sentence) && peers.readableMarkdown(html).markdown.includes(sentence))
}

/** CPU microseconds per page, so other work on the machine matters little. */
function timed(work: Work, pages: string[]): number {
  const started = process.cpuUsage()
  let done = 0
  for (;;) {
    for (let look = 0; look < pagesPerLook; look++) work(pages[done++ % pages.length]!)
    const { user, system } = process.cpuUsage(started)
    if (user + system >= roundMs * 1_000) return (user + system) / done
  }
}

/** Rounds are interleaved, so that other work on the machine affects all alike. */
function measured(contenders: Contender[], pages: string[]): number[] {
  const times = contenders.map((): number[] => [])
  for (let round = -1; round < rounds; round++)
    for (const [index, { work }] of contenders.entries()) {
      const took = timed(work, pages)
      // The first round warms up.
      if (round >= 0) times[index]!.push(took)
    }
  return times.map(median)
}

function rowsOf({ name, ours, others, target }: Question, pages: string[]): string[][] {
  const contenders = [{ name: 'kscrape', work: ours }, ...others]
  const [own = Number.NaN, ...theirs] = measured(contenders, pages)
  const rows = others.map((other, index) => {
    const ratio = theirs[index]! / own
    const verdict = target === null ? '' : `${ratio >= target ? 'met' : 'MISSED'} (${target})`
    return [name, other.name, written(theirs[index]!), `${written(ratio, 1)} ×`, verdict]
  })
  return [[name, 'kscrape', written(own), '', ''], ...rows]
}

console.log(`${machine()}, ${today()}, load ${loadNow()}; CPU µs a page, middle of ${rounds} rounds`)
for (const [size, makePage] of [
  ['18 KB', shopPage],
  ['200 KB', longPage],
] as const) {
  const pages = Array.from({ length: size === '18 KB' ? 200 : 20 }, (_, n) => makePage(n * 31 + 1))
  checkSameWork(pages[0]!)
  const characters = Math.round(pages.reduce((sum, page) => sum + page.length, 0) / pages.length)
  console.log(`\n${size} (${written(characters)} characters)\n`)
  const rows = questions.flatMap(question => rowsOf(question, pages))
  console.log(markdownTable(['work', 'library', 'CPU µs per page', 'library ÷ kscrape', 'target'], rows))
}
