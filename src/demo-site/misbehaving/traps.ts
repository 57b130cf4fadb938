// Crawler traps: endless calendars, growing paths, session ids, query explosions, duplicates.
import { html } from '../html.ts'
import { page, type Reply, type Visit } from '../route.ts'
import { bare, linkList, type Misbehaviour } from './misbehaviour.ts'

const facets = { colour: 5, size: 5, brand: 5, price: 5, material: 5, sort: 4 }

const traps: Misbehaviour[] = [
  {
    path: '/calendar/:year/:month',
    try: '/calendar/2026/01',
    says: 'A calendar month with links to the previous and the next month, endlessly.',
    answer: calendar,
  },
  {
    path: '/maze/*',
    try: '/maze/',
    says: 'Relative links that grow the path: maze/left/right/left/…',
    answer: () => bare('Maze', linkList(['left/', 'right/'])),
  },
  {
    path: '/facets',
    says: 'Filters that can be combined without end.',
    answer: visit => bare('Filters', linkList(facetLinks(visit.url))),
  },
  {
    path: '/same/:number',
    try: '/same/1',
    says: 'The same page for each number, with links to other numbers.',
    answer: () => bare('The same', linkList(['/same/1', '/same/2', '/same/3'])),
  },
  {
    path: '/copies/*',
    try: '/copies/1',
    says: 'The same page at endlessly many URLs, each of which links to more.',
    answer: copies,
  },
  { path: '/duplicate/a', says: 'Byte for byte the same as /duplicate/b.', answer: () => bare('Twins') },
  { path: '/duplicate/b', says: 'Byte for byte the same as /duplicate/a.', answer: () => bare('Twins') },
  {
    path: '/canonical/original',
    says: 'The canonical page of the copies.',
    answer: visit => canonical(visit, '/canonical/original'),
  },
  {
    path: '/canonical/copy/:number',
    try: '/canonical/copy/1',
    says: 'A page with the URL of the original as its canonical URL.',
    answer: visit => canonical(visit, '/canonical/original'),
  },
  {
    path: '/canonical/relative',
    says: 'A page with a relative canonical URL.',
    answer: () => canonicalTo('original'),
  },
  {
    path: '/canonical/elsewhere',
    says: 'A page with a canonical URL on another site.',
    answer: () => canonicalTo('https://elsewhere.example/page'),
  },
  {
    path: '/canonical/missing',
    says: 'A page with a canonical URL that does not exist.',
    answer: () => canonicalTo('/canonical/not-there'),
  },
  {
    path: '/canonical/circle/:side',
    try: '/canonical/circle/a',
    says: 'Two pages that name each other as canonical.',
    answer: (_visit, side) => canonicalTo(`/canonical/circle/${side === 'a' ? 'b' : 'a'}`),
  },
  {
    path: '/soft-404/*',
    try: '/soft-404/anything',
    says: 'Status 200, but the page says that nothing was found.',
    answer: () =>
      bare('Page not found', html`<p>Sorry, we could not find what you were looking for (404).</p>`),
  },
  {
    path: '/deep/:level',
    try: '/deep/1',
    says: 'A page with one link to the next level, up to level 1000.',
    answer: deep,
  },
  {
    path: '/links/:count',
    try: '/links/100',
    says: 'A page with many links to leaf pages.',
    answer: (_visit, count) => bare('Links', linkList(leaves(Number(count)))),
  },
  {
    path: '/leaf/:name',
    try: '/leaf/1',
    says: 'A page without links, different for each name.',
    answer: (_visit, name) => bare(`Leaf ${name}`, html`<p class="name">${name}</p>`),
  },
  {
    path: '/links/nofollow',
    says: 'One link that may be followed, one with nofollow.',
    answer: () =>
      bare('Nofollow', html`<a href="/leaf/follow">yes</a> <a rel="nofollow" href="/leaf/nofollow">no</a>`),
  },
  {
    path: '/links/meta-nofollow',
    says: 'A page whose meta tag forbids following its links.',
    answer: () =>
      bare('Nofollow', html`<meta name="robots" content="nofollow"><a href="/leaf/meta-nofollow">no</a>`),
  },
  {
    path: '/links/base',
    says: 'Links relative to a base element.',
    answer: () => bare('Base', html`<base href="/leaf/"><a href="based">based</a>`),
  },
  {
    path: '/links/odd',
    says: 'Links that a crawler does not follow.',
    answer: () => bare('Odd', linkList(oddLinks)),
  },
]

const oddLinks = [
  'mailto:someone@example.com',
  'tel:+4555010203',
  'javascript:void(0)',
  'data:text/plain,hi',
  'ftp://ftp.example/',
  'http://[bad/',
  'http://user:secret@elsewhere.example/',
  '#top',
  '',
  '   /leaf/spaces   ',
  '//elsewhere.example/no-scheme',
  'http:/leaf/one-slash',
  '/leaf/caf\u00e9',
  '/leaf/%zz',
]

function calendar(_visit: Visit, year: string, month: string): Reply {
  const shown = (offset: number) => {
    const date = new Date(Date.UTC(Number(year), Number(month) - 1 + offset))
    if (Number.isNaN(date.getTime())) return '/calendar/2026/01'
    return `/calendar/${date.getUTCFullYear()}/${String(date.getUTCMonth() + 1).padStart(2, '0')}`
  }
  const links = html`<a rel="prev" href="${shown(-1)}">Before</a> <a rel="next" href="${shown(1)}">After</a>`
  return bare(`Calendar ${year}-${month}`, html`<p>No events this month.</p>${links}`)
}

/** Each request gets new ids. The multiplication makes them look random. */
function sessions(): Misbehaviour {
  let issued = 0
  const nextId = () => (++issued * 0x9e37_79b1_7f).toString(16).padStart(16, '0').slice(-16)
  const answer = (visit: Visit) => {
    const links = [
      `/session/one;jsessionid=${nextId()}`,
      `/session/two?PHPSESSID=${nextId()}`,
      `/session/three?sid=${nextId()}&page=1`,
    ]
    return bare(`Session ${visit.url.pathname.replace(/;.*/, '')}`, linkList(links))
  }
  return { path: '/session/*', try: '/session/start', says: 'Every link carries a new session id.', answer }
}

export function allTraps(): Misbehaviour[] {
  return [...traps, sessions()]
}

function facetLinks(url: URL): string[] {
  return Object.entries(facets).flatMap(([name, values]) =>
    Array.from({ length: values }, (_, value) => {
      const query = new URLSearchParams(url.search)
      query.set(name, String(value + 1))
      return `/facets?${query}`
    }),
  )
}

/** The links are relative, so the body stays equal while each link leads to a new URL. */
function copies(): Reply {
  return bare('A copy', linkList(['./1/', './2/', './3/']))
}

function canonical(visit: Visit, path: string): Reply {
  return canonicalTo(`${visit.origin}${path}`)
}

function canonicalTo(href: string): Reply {
  return page(html`<!DOCTYPE html><html><head><title>Canonical</title><link rel="canonical" href="${href}"></head><body><h1>Canonical</h1></body></html>
`)
}

function deep(_visit: Visit, level: string): Reply {
  const next = Number(level) + 1
  return bare(`Level ${level}`, next > 1_000 ? html`` : linkList([`/deep/${next}`]))
}

function leaves(count: number): string[] {
  return Array.from({ length: Math.min(count || 0, 200_000) }, (_, index) => `/leaf/${index + 1}`)
}
