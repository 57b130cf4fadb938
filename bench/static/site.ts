// The site that every crawler gets: linked shop pages of 15–20 KB, the same bytes on every machine.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Chance, seeded } from '../../src/demo-site/random.ts'

/** The fields that a crawler must find on page `n`. */
export interface Fields {
  title: string
  canonical: string
  price: string
  description: string
  sku: string
}

const nouns = ['Lamp', 'Chair', 'Kettle', 'Shelf', 'Rug', 'Clock', 'Vase', 'Stool', 'Mirror', 'Basket']
const qualities = ['Oak', 'Linen', 'Brass', 'Walnut', 'Ceramic', 'Wool', 'Cork', 'Steel', 'Glass', 'Stone']
const words =
  'the of a made with from quiet light room hand finish detail every day small large warm plain solid carefully joined surface edge weight balance colour grain maker workshop order parcel season autumn repair spare part measure cloth wipe keep dry years use simple honest useful table corner window evening morning kitchen hall garden'.split(
    ' ',
  )

export const pathOf = (n: number): string => (n === 0 ? '/' : `/p/${n}.html`)

export function fieldsOf(n: number): Fields {
  const chance = seeded(n)
  const name = `${chance.pick(qualities)} & ${chance.pick(qualities)} ${chance.pick(nouns)} ${n}`
  return {
    title: `${name} – Workshop Supply`,
    canonical: pathOf(n),
    price: `€${chance.between(5, 900)}.${String(chance.between(0, 99)).padStart(2, '0')}`,
    description: `${name}: ${sentence(chance, 18)}`,
    sku: `WS-${String(n).padStart(6, '0')}`,
  }
}

/** Writes the site if it does not exist, and returns its folder. */
export function writeSite(workDirectory: string, pages: number): string {
  const directory = join(workDirectory, `site-${pages}-${fingerprint()}`)
  if (existsSync(directory)) return directory
  const unfinished = `${directory}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(join(unfinished, 'p'), { recursive: true })
  writeFileSync(join(unfinished, 'robots.txt'), 'User-agent: *\nDisallow: /basket/\n')
  for (let n = 0; n < pages; n++) writeFileSync(fileOf(unfinished, n), pageHtml(n, pages))
  renameSync(unfinished, directory)
  return directory
}

/** A hash that changes with the generator, so that a site of an older generator is not reused. */
function fingerprint(): string {
  return createHash('sha256').update(pageHtml(7, 64)).digest('hex').slice(0, 8)
}

function fileOf(directory: string, n: number): string {
  return n === 0 ? join(directory, 'index.html') : join(directory, 'p', `${n}.html`)
}

export function pageHtml(n: number, pages: number): string {
  const chance = seeded(n + 1_000_003)
  const { title, canonical, price, description, sku } = fieldsOf(n)
  const name = title.split(' – ')[0]!
  const links = linksOf(n, pages, chance)
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(description)}">
<link rel="canonical" href="${canonical}">
<style>body{margin:0;font:16px/1.5 sans-serif}.price{color:#b00}.tag{padding:2px 6px;background:#eee}nav a{margin-right:1em}</style>
<script type="application/ld+json">${productData(name, sku, price, description)}</script>
</head>
<body>
<header><nav class="main">${anchors(links.nav, chance)}</nav></header>
<main>
<p class="breadcrumbs">${anchors(links.breadcrumbs, chance)}</p>
<article class="product" id="product-${n}">
<h1>${escaped(name)}</h1>
<p class="offer"><span class="price">${price}</span> <span class="stock">In stock</span></p>
<p class="tags">${chance
    .some(words, 4)
    .map(word => `<span class="tag">${word}</span>`)
    .join(' ')}</p>
${paragraphs(chance)}
<table class="details">${details(chance)}</table>
</article>
<section class="related"><h2>Goes well with</h2><ul>${items(links.related, chance)}</ul></section>
<section class="also"><h2>Others looked at</h2><ul>${items(links.also, chance)}</ul></section>
<p class="pagination">${anchors(links.pagination, chance)}</p>
</main>
<footer>${anchors(links.footer, chance)}<p>Made for measuring. &copy; Workshop Supply</p></footer>
<script>window.shop={page:${n},basket:[],track:function(e){if(e<1&&e>-1){return "<none>"}return e}}</script>
</body>
</html>
`
}

/** 36 links. `related` are the page's children in a tree of eight branches, so every page can be reached from the first. */
function linksOf(n: number, pages: number, chance: Chance): Record<string, number[]> {
  const list = (length: number, at: (i: number) => number) =>
    Array.from({ length }, (_, i) => ((at(i) % pages) + pages) % pages)
  return {
    nav: list(8, i => i * 11),
    breadcrumbs: list(2, i => (i === 0 ? 0 : Math.floor((n - 1) / 8))),
    related: list(8, i => n * 8 + 1 + i),
    also: list(12, () => chance.between(0, pages - 1)),
    pagination: list(4, i => n + [-1, 1, 2, 10][i]!),
    footer: list(2, i => i + 1),
  }
}

function anchors(pages: number[] | undefined, chance: Chance): string {
  return pages!.map(n => `<a href="${pathOf(n)}">${chance.pick(words)} ${n}</a>`).join(' ')
}

function items(pages: number[] | undefined, chance: Chance): string {
  const item = (n: number) =>
    `<li class="card"><a class="name" href="${pathOf(n)}" title="${sentence(chance, 4)}"><span>${chance.pick(nouns)} ${n}</span></a> <em>${sentence(chance, 9)}</em></li>`
  return pages!.map(item).join('\n')
}

function paragraphs(chance: Chance): string {
  const paragraph = () =>
    `<p>${sentence(chance, 40)} <b>${sentence(chance, 5)}</b> ${sentence(chance, 30)} <i>${sentence(chance, 4)}</i></p>`
  return Array.from({ length: chance.between(12, 17) }, paragraph).join('\n')
}

function details(chance: Chance): string {
  const row = () =>
    `<tr class="detail"><th scope="row">${chance.pick(words)}</th><td class="size">${chance.between(1, 99)} cm</td><td>${sentence(chance, 5)}</td></tr>`
  return Array.from({ length: 36 }, row).join('\n')
}

function productData(name: string, sku: string, price: string, description: string): string {
  return JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    sku,
    description,
    offers: { '@type': 'Offer', price: price.slice(1), priceCurrency: 'EUR' },
  })
}

function sentence(chance: Chance, length: number): string {
  const text = Array.from({ length }, () => chance.pick(words)).join(' ')
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`
}

const escaped = (text: string) => text.replaceAll('&', '&amp;')
