// Five fields and the links of a page, by our own document code and nothing else.
import { compileSelector, parseDocument, selectAll, selectFirst } from '../../src/extract/document/index.ts'

const title = compileSelector('title')
const canonical = compileSelector('link[rel=canonical]')
const price = compileSelector('.price')
const description = compileSelector('meta[name=description]')
const data = compileSelector('script[type="application/ld+json"]')
const anchor = compileSelector('a[href]')

export function readPage(url, html) {
  const document = parseDocument(html)
  const record = {
    url,
    title: document.text(selectFirst(document, title)),
    canonical: document.attribute(selectFirst(document, canonical), 'href'),
    price: document.text(selectFirst(document, price)),
    description: document.attribute(selectFirst(document, description), 'content'),
    sku: JSON.parse(document.text(selectFirst(document, data))).sku,
  }
  const links = selectAll(document, anchor).map(node => new URL(document.attribute(node, 'href'), url).href)
  return { record, links }
}
