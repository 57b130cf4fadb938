// Interactive parts of the site: search, the JavaScript-only shop with its data, and the echo route.
import type { Catalogue } from '../catalogue.ts'
import { type Html, html, nothing } from '../html.ts'
import { layout } from '../layout.ts'
import { writePrice } from '../money.ts'
import { file, json, numberIn, page, type Reply, type Route, type Visit } from '../route.ts'
import { productCard } from './products.ts'

/** Maximum number of products that a search scans. A search in a shop of a million products must not block the site. */
const searchedProducts = 2_000
const itemsPerAnswer = 20

export function applicationRoutes(catalogue: Catalogue): Route[] {
  return [
    { path: '/search', answer: visit => page(search(visit, catalogue)) },
    { path: '/spa/', answer: () => page(shell) },
    { path: '/spa/item/:number', answer: () => page(shell) },
    { path: '/spa/app.js', answer: () => file('text/javascript; charset=utf-8', script) },
    { path: '/api/products', answer: visit => productsJson(visit, catalogue) },
    { path: '/echo', answer: echo },
  ]
}

function search(visit: Visit, catalogue: Catalogue): Html {
  const query = visit.url.searchParams.get('q')?.trim() ?? ''
  const found = query === '' ? [] : find(catalogue, query.toLowerCase())
  return layout(visit, {
    title: query === '' ? 'Search' : `Search: ${query}`,
    description: 'Search the shop.',
    canonical: '/search',
    head: html`<meta name="robots" content="noindex">`,
    main: html`<h1>Search</h1>
<form method="get" action="/search" role="search"><input type="search" name="q" value="${query}" aria-label="Search"> <button>Go</button></form>
${query === '' ? nothing : html`<p class="hits">${found.length} found</p><ul class="grid">${found.map(productCard)}</ul>`}`,
  })
}

function find(catalogue: Catalogue, query: string) {
  const numbers = Array.from({ length: Math.min(catalogue.size, searchedProducts) }, (_, index) => index + 1)
  return numbers
    .map(catalogue.product)
    .filter(({ name }) => name.toLowerCase().includes(query))
    .slice(0, itemsPerAnswer)
}

function productsJson(visit: Visit, catalogue: Catalogue): Reply {
  const number = Math.max(1, Math.floor(numberIn(visit, 'page', 1)))
  const from = (number - 1) * itemsPerAnswer
  const length = Math.max(0, Math.min(itemsPerAnswer, catalogue.size - from))
  const items = Array.from({ length }, (_, index) => {
    const { sku, name, cents, currency } = catalogue.product(from + index + 1)
    return { number: from + index + 1, sku, name, price: writePrice(cents, currency) }
  })
  return json({ items, next: from + length < catalogue.size ? `/api/products?page=${number + 1}` : null })
}

function echo(visit: Visit): Reply {
  const query = Object.fromEntries(visit.url.searchParams)
  return json({
    method: visit.method,
    path: visit.url.pathname,
    query,
    headers: visit.headers,
    form: Object.fromEntries(visit.form),
  })
}

/** A page that is empty without JavaScript: its script creates the content. */
const shell = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Loading…</title></head>
<body><div id="app"></div><noscript>This shop needs JavaScript.</noscript><script src="/spa/app.js"></script></body></html>
`

const script = `const app = document.querySelector('#app')

async function show() {
  const number = location.pathname.match(/item\\/(\\d+)/)?.[1]
  const page = number ? Math.ceil(number / ${itemsPerAnswer}) : 1
  const { items } = await (await fetch('/api/products?page=' + page)).json()
  const chosen = items.find(item => String(item.number) === number)
  document.title = chosen ? chosen.name : 'The shop, by script'
  document.head.append(Object.assign(document.createElement('link'), { rel: 'canonical', href: location.pathname }))
  app.replaceChildren(...(chosen ? details(chosen) : list(items)))
}

const element = (name, text, extra = {}) => Object.assign(document.createElement(name), { textContent: text }, extra)

const details = item => [element('h1', item.name), element('p', item.price, { className: 'price' }), element('a', 'All', { href: '/spa/' })]

function list(items) {
  const rows = items.map(item => {
    const row = element('li', '', { className: 'product' })
    row.append(element('a', item.name, { href: '/spa/item/' + item.number }), ' ', element('span', item.price, { className: 'price' }))
    return row
  })
  const listing = element('ul', '')
  listing.append(...rows)
  return [element('h1', 'The shop, by script'), listing]
}

show()
`
