// Tests which links of a page become tasks.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LinkAdmitter, type LinkAdmitterOptions, type PageHrefs } from './admit.ts'
import { urlKey } from './canonical-url.ts'
import { compileScope, type ScopeSpec } from './scope.ts'

function admitterOf(spec: Partial<ScopeSpec> = {}, options: Partial<LinkAdmitterOptions> = {}): LinkAdmitter {
  const scope = compileScope({
    seedUrls: ['https://a.example/'],
    subdomains: false,
    include: [],
    exclude: [],
    ...spec,
  })
  return new LinkAdmitter({ scope, canonical: { query: 'sort' }, nofollow: 'obey', ...options })
}

const pageWith = (hrefs: string[], more: Partial<PageHrefs> = {}): PageHrefs => ({
  base: 'https://a.example/shop/list?page=1',
  hrefs,
  nofollow: [],
  pageNofollow: false,
  ...more,
})

test('each admitted link has its canonical URL, its host and its key in the store', () => {
  const { urls, hosts, keys, refused } = admitterOf({ allowedDomains: ['b.example'] }).admit(
    pageWith(['/x', 'y#top', '../z', '?page=2', 'HTTPS://A.example/%7eu', 'http://b.example/1?utm_source=a']),
    1,
  )
  assert.deepEqual(urls, [
    'https://a.example/x',
    'https://a.example/shop/y',
    'https://a.example/z',
    'https://a.example/shop/list?page=2',
    'https://a.example/~u',
    'http://b.example/1',
  ])
  assert.deepEqual(hosts, [...Array(5).fill('a.example'), 'b.example'])
  assert.deepEqual([...keys], urls.map(urlKey))
  assert.deepEqual(refused, {})
})

test('a link that is already known is dropped and not counted, whatever its encoding', () => {
  const admitter = admitterOf()
  assert.deepEqual(admitter.admit(pageWith(['/x', 'https://a.example/x', '/x#a', '/%78', '../x']), 1).urls, [
    'https://a.example/x',
  ])
  assert.deepEqual(admitter.admit(pageWith(['/x', '/y']), 1).urls, ['https://a.example/y'])
})

test('a link that was not stored can be admitted again', () => {
  const admitter = admitterOf()
  admitter.admit(pageWith(['/x']), 1)
  admitter.forget()
  assert.deepEqual(admitter.admit(pageWith(['/x']), 1).urls, ['https://a.example/x'])
})

test('refused links are counted by reason; links that are not web pages are not counted', () => {
  const hrefs = [
    'https://other.example/',
    '/cal/1',
    '/a/a/a',
    'mailto:x',
    ' javascript:alert(1)',
    'http://[::1',
    '//',
    '\n/ok',
  ]
  const { urls, refused } = admitterOf({ exclude: ['**/cal/**'] }).admit(pageWith(hrefs), 1)
  assert.deepEqual(urls, ['https://a.example/ok'])
  assert.deepEqual(refused, { 'scope.refused': 2, 'trap.suspected': 1 })
})

test('bad page htm-021: invalid hrefs are links or ignored, and never crash', () => {
  const vectors = new URL('../../test/vectors/bad-inputs/html.json', import.meta.url)
  const { cases } = JSON.parse(readFileSync(vectors, 'utf8'))
  const { body } = cases.find((each: { id: string }) => each.id === 'htm-021')
  const hrefs = [...body.matchAll(/href="([^"]*)"/g)].map((match: RegExpMatchArray) => match[1]!)
  assert.equal(hrefs.length, 7)
  // The URL standard treats a backslash as a slash. `#` and an empty href refer to the page itself.
  assert.deepEqual(admitterOf().admit(pageWith(hrefs), 1).urls, [
    'https://a.example/n/x',
    'https://a.example/shop/list?page=1',
  ])
})

test('nofollow is obeyed for links and pages, unless the job says otherwise', () => {
  const marked = pageWith(['/x', '/y'], { nofollow: [true, false] })
  assert.deepEqual(admitterOf().admit(marked, 1).urls, ['https://a.example/y'])
  assert.deepEqual(admitterOf().admit(marked, 1).refused, { 'scope.refused': 1 })
  assert.equal(admitterOf({}, { nofollow: 'follow' }).admit(marked, 1).urls.length, 2)
  assert.deepEqual(admitterOf().admit(pageWith(['/x', '/y'], { pageNofollow: true }), 1).refused, {
    'scope.refused': 2,
  })
})

test('all links of pages at the maximum depth are refused', () => {
  const admitter = admitterOf({ depth: 2 })
  assert.equal(admitter.admit(pageWith(['/x']), 2).urls.length, 1)
  assert.deepEqual(admitter.admit(pageWith(['/y', '/z']), 3), {
    urls: [],
    hosts: [],
    keys: new BigInt64Array(0),
    refused: { 'scope.refused': 2 },
  })
})

test('a page that redirected out of scope can still link back into it', () => {
  const page = pageWith(['https://a.example/x', '/y'], { base: 'https://elsewhere.example/' })
  const { urls, refused } = admitterOf().admit(page, 1)
  assert.deepEqual(urls, ['https://a.example/x'])
  assert.deepEqual(refused, { 'scope.refused': 1 })
})

test('a hundred thousand links are each admitted once, within the memory limit', () => {
  const hrefs = Array.from({ length: 100_000 }, (_, index) => `/p/${index}`)
  assert.equal(admitterOf().admit(pageWith(hrefs), 1).urls.length, 100_000)
})
