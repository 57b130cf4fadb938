// What does it cost to decide about the 36 links of a page? `node bench/links.ts`
// Last result (2 cores, Node 24, other programs running; µs of CPU per page): root-relative and absolute links 13, relative
// links 13, links with a query 28, with two globs 17, percent-encoded links 61, because these need the WHATWG parser.
import { LinkAdmitter } from '../src/frontier/admit.ts'
import { compileScope } from '../src/frontier/scope.ts'

const pages = 20_000
const linksPerPage = 36
const origin = 'http://127.0.0.1:8080'

/** Navigation that every page has, neighbours that only some have, a few external links and a few invalid ones. */
function hrefsOf(page: number): string[] {
  const hrefs = [
    '/',
    '/about',
    '/contact',
    '#top',
    'mailto:us@example.com',
    'https://example.org/partner?utm_source=us',
  ]
  for (let index = hrefs.length; index < linksPerPage; index++) {
    const target = (page * 31 + index * 977) % pages
    hrefs.push(index % 3 === 0 ? `${origin}/products/item-${target}.html` : `/products/item-${target}.html`)
  }
  return hrefs
}

/** Slices of one text, as a document returns them. */
function asInAPage(hrefs: string[]): string[] {
  const source = Buffer.from(hrefs.map(href => `<a href="${href}">x</a>`).join('')).toString()
  return [...source.matchAll(/"([^"]*)"/g)].map(match => match[1]!)
}

function measure(title: string, include: string[], hrefs: (page: number) => string[]): void {
  const scope = compileScope({ seedUrls: [`${origin}/`], subdomains: false, include, exclude: [] })
  const admitter = new LinkAdmitter({ scope, canonical: { query: 'sort' }, nofollow: 'obey' })
  const found = Array.from({ length: pages }, (_, page) => ({
    base: `${origin}/products/item-${page}.html`,
    hrefs: asInAPage(hrefs(page)),
    nofollow: [],
    pageNofollow: false,
  }))
  let admitted = 0
  // CPU time of this thread, so that other work on the machine matters less.
  const before = process.threadCpuUsage()
  for (const page of found) admitted += admitter.admit(page, 1).urls.length
  const microseconds = process.threadCpuUsage(before).user / pages
  console.log(
    `${title.padEnd(34)} ${microseconds.toFixed(1)} µs a page, ${admitted} of ${pages * linksPerPage} admitted`,
  )
}

const withQuery = (page: number): string[] => hrefsOf(page).map(href => `${href}?page=2&sort=price`)
const relative = (page: number): string[] => hrefsOf(page).map(href => href.replace(/^\/products\//, ''))
const encoded = (page: number): string[] => hrefsOf(page).map(href => href.replace('item', '%69tem'))

for (let round = 0; round < 2; round++) {
  measure('root-relative and absolute', [], hrefsOf)
  measure('relative', [], relative)
  measure('with a query', [], withQuery)
  measure('with two globs', ['**/products/**', '/'], hrefsOf)
  measure('percent-encoded (whole way)', [], encoded)
}
