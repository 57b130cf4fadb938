// The page view of a fetched page: selectors over the flat document, in the words that scrapers use.
import {
  compileSelector,
  type FlatDocument,
  type NodeId,
  parseDocument,
  type Selector,
  selectAll,
  selectFirst,
} from '../extract/document/index.ts'
import { cleanText } from '../lib/clean-text.ts'
import { Failure } from '../model/failures.ts'
import type { Page } from '../model/page.ts'
import type { Json } from '../model/record.ts'
import type { PageView } from '../scraper/page-view.ts'

const compiled = new Map<string, Selector>()

/** Scrapers write the same few selectors over and over. */
function selectorOf(css: string): Selector {
  const known = compiled.get(css) ?? compileSelector(css)
  if (compiled.size < 10_000) compiled.set(css, known)
  return known
}

/** The view of a whole page. */
export const pageViewOf = (source: string, page: Page): PageView => viewOf(parseDocument(source), page, 0)

function viewOf(document: FlatDocument, page: Page, from: NodeId): PageView {
  const first = (selector: string) => selectFirst(document, selectorOf(selector), from)
  const every = (selector: string) => selectAll(document, selectorOf(selector), from)
  const textOf = (node: NodeId) => cleanText(document.text(node))
  return {
    url: page.url,
    finalUrl: page.finalUrl,
    status: page.status,
    source: document.source,
    text: selector => (first(selector) === -1 ? null : textOf(first(selector))),
    attr: (selector, name) => (first(selector) === -1 ? null : document.attribute(first(selector), name)),
    all: selector => every(selector).map(textOf),
    each: selector => every(selector).map(node => viewOf(document, page, node)),
    table: selector => tableOf(document, first(selector), textOf),
    json: () => jsonOf(document.source, page),
    expect: (selector, pattern) =>
      expectMatch(page, selector, first(selector) === -1 ? null : textOf(first(selector)), pattern),
  }
}

function expectMatch(page: Page, selector: string, text: string | null, pattern?: RegExp): void {
  if (text !== null && (!pattern || pattern.test(text))) return
  const found = text === null ? 'is not there' : `says "${text.slice(0, 80)}", not ${pattern}`
  throw new Failure(
    'extract.site-changed',
    `${page.finalUrl}: ${selector} ${found}; the site may have changed`,
    { selector },
  )
}

function tableOf(
  document: FlatDocument,
  table: NodeId,
  textOf: (node: NodeId) => string,
): Array<Record<string, string>> {
  if (table === -1) return []
  const cells = (row: NodeId) => selectAll(document, selectorOf('th, td'), row).map(textOf)
  const [head = [], ...rows] = selectAll(document, selectorOf('tr'), table).map(cells)
  return rows.map(row => Object.fromEntries(row.map((cell, index) => [head[index] ?? String(index), cell])))
}

function jsonOf(source: string, page: Page): Json {
  try {
    return JSON.parse(source) as Json
  } catch (cause) {
    throw new Failure('extract.site-changed', `${page.finalUrl} is not JSON`, {}, { cause })
  }
}
