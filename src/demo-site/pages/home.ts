// The front page, in English and German, and the pages that robots.txt disallows.
import { type Catalogue, categories } from '../catalogue.ts'
import { type Html, html, jsonLd } from '../html.ts'
import { layout } from '../layout.ts'
import { page, type Route, redirect, type Visit } from '../route.ts'
import { productCard } from './products.ts'

export function homeRoutes(catalogue: Catalogue): Route[] {
  return [
    { path: '/', answer: visit => page(home(visit, catalogue)) },
    { path: '/de/', answer: visit => page(germanHome(visit)) },
    { path: '/index.html', answer: () => redirect('/', 301) },
    { path: '/private/*', answer: visit => page(privatePage(visit)) },
  ]
}

function home(visit: Visit, catalogue: Catalogue): Html {
  const picks = Array.from({ length: Math.min(6, catalogue.size) }, (_, index) =>
    catalogue.product(index + 1),
  )
  return layout(visit, {
    title: 'Things that last',
    description: 'A small shop of lamps, chairs, bicycles and paper, made to be repaired.',
    canonical: '/',
    translations: [['de', '/de/']],
    head: jsonLd({ '@type': 'Organization', name: 'Kestrel & Pine', url: `${visit.origin}/` }),
    main: html`<h1>Things that last</h1>
<p>Welcome. Everything here is made up and always the same, so that a crawler can be tried on it.</p>
<h2>Departments</h2>
<ul class="grid">${categories.map(({ slug, name }) => html`<li class="card"><a href="/categories/${slug}">${name}</a></li>`)}</ul>
<h2>Our picks</h2>
<ul class="grid">${picks.map(productCard)}</ul>
<h2>More</h2>
<ul>
<li><a href="/blog/">The workshop blog</a></li>
<li><a href="/spa/">The shop as a JavaScript application</a></li>
<li><a href="/files/catalogue.pdf">The catalogue as PDF</a></li>
<li><a href="/private/ledger">The ledger</a> (robots.txt says no)</li>
</ul>
${catalogue.size > 0 ? manyAddresses(visit, catalogue.product(1).slug) : html``}`,
  })
}

/** One product under many forms of its URL. A crawler that canonicalizes URLs fetches it once. */
function manyAddresses(visit: Visit, slug: string): Html {
  const path = `/products/${slug}`
  const spellings = [
    `${path}?utm_source=newsletter&utm_medium=email`,
    `${path}?utm_campaign=spring&fbclid=abc123`,
    `${path}#reviews`,
    `${visit.origin.toUpperCase()}${path}`,
    `/categories/../products/${slug}`,
    `/products/%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`,
    `${path}?`,
  ]
  const items = spellings.map(href => html`<li><a href="${href}">${href}</a></li>`)
  return html`<h2>One page, many addresses</h2>
<ul class="same-page">${items}</ul>`
}

function germanHome(visit: Visit): Html {
  return layout(visit, {
    title: 'Dinge, die bleiben',
    description: 'Ein kleiner Laden für Lampen, Stühle, Fahrräder und Papier.',
    canonical: '/de/',
    language: 'de',
    translations: [['en', '/']],
    main: html`<h1>Dinge, die bleiben</h1>
<p>Schöne Grüße aus der Werkstatt. <a href="/de/about">Über uns</a> · <a href="/categories">Zum Laden (auf Englisch)</a></p>`,
  })
}

function privatePage(visit: Visit): Html {
  return layout(visit, {
    title: 'Private',
    description: 'Not for crawlers.',
    canonical: visit.url.pathname,
    main: html`<h1>Private</h1><p>robots.txt asks crawlers to stay away from here.</p>`,
  })
}
