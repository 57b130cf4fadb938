// Tests which URLs the scope of a job accepts, and which rule a refusal names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../model/failures.ts'
import { compileScope, type ScopeSpec } from './scope.ts'

const scopeOf = (spec: Partial<ScopeSpec>) =>
  compileScope({ seedUrls: ['https://example.com/'], subdomains: false, include: [], exclude: [], ...spec })

const allows = (spec: Partial<ScopeSpec>, url: string, depth = 1): boolean =>
  scopeOf(spec).allows(url, depth).ok

test('a crawl stays on the hosts of its seeds, with or without www and with any scheme', () => {
  assert.ok(allows({}, 'https://example.com/a'))
  assert.ok(allows({}, 'http://www.example.com/a'))
  assert.ok(allows({ seedUrls: ['https://www.example.com/'] }, 'https://example.com/a'))
  for (const url of [
    'https://blog.example.com/',
    'https://notexample.com/',
    'https://example.com.evil.example/',
  ])
    assert.ok(!allows({}, url), url)
})

test('another port of a host is outside the scope', () => {
  const spec = { seedUrls: ['http://127.0.0.1:8080/'] }
  assert.ok(allows(spec, 'http://127.0.0.1:8080/a'))
  assert.ok(!allows(spec, 'http://127.0.0.1:9090/a'))
  assert.ok(!allows(spec, 'http://127.0.0.1/a'))
  assert.ok(!allows({}, 'https://example.com:8443/'))
  assert.ok(allows({ seedUrls: ['http://[::1]:8080/'] }, 'http://[::1]:8080/a'))
})

test('with subdomains, the whole registrable domain is in scope', () => {
  const spec = { seedUrls: ['https://shop.example.co.uk/'], subdomains: true }
  for (const url of ['https://example.co.uk/', 'https://a.b.example.co.uk/x'])
    assert.ok(allows(spec, url), url)
  assert.ok(!allows(spec, 'https://other.co.uk/'))
})

test('sites on a shared suffix are not subdomains of each other', () => {
  const spec = { seedUrls: ['https://me.github.io/'], subdomains: true }
  assert.ok(allows(spec, 'https://me.github.io/a'))
  assert.ok(!allows(spec, 'https://you.github.io/a'))
})

test('with subdomains, an IP address covers only itself', () => {
  const spec = { seedUrls: ['http://10.0.0.1/'], subdomains: true }
  assert.ok(allows(spec, 'http://10.0.0.1/a'))
  assert.ok(!allows(spec, 'http://9.10.0.0.1.example/'))
})

test('allowed domains are in scope beside the seeds, and a star includes subdomains', () => {
  const spec = { allowedDomains: ['other.example', '*.cdn.example', 'bücher.example', 'ported.example:8080'] }
  const inside = [
    'https://example.com/',
    'https://other.example/',
    'https://www.other.example/',
    'https://other.example:8443/',
    'https://cdn.example/',
    'https://a.b.cdn.example/',
    'https://xn--bcher-kva.example/',
    'http://ported.example:8080/',
  ]
  for (const url of inside) assert.ok(allows(spec, url), url)
  for (const url of ['https://a.other.example/', 'https://ported.example/'])
    assert.ok(!allows(spec, url), url)
})

test('list and sitemap jobs cover the hosts of their input', () => {
  assert.ok(allows({ seedUrls: undefined, urls: ['https://a.example/x'] }, 'https://a.example/y'))
  assert.ok(allows({ seedUrls: undefined, sitemapUrl: 'https://b.example/s.xml' }, 'https://b.example/y'))
})

test('pages deeper than the maximum depth are refused, and the refusal names the depth', () => {
  assert.ok(allows({ depth: 2 }, 'https://example.com/a', 2))
  assert.deepEqual(scopeOf({ depth: 2 }).allows('https://example.com/a', 3), {
    ok: false,
    reason: 'scope.refused',
    rule: 'depth 2',
  })
})

test('include patterns narrow the scope, exclude patterns win over them, and the refusal names the glob', () => {
  const spec = { include: ['/blog/**', '**/*.html'], exclude: ['**/cal/**'] }
  assert.ok(allows(spec, 'https://example.com/blog/a'))
  assert.ok(allows(spec, 'https://example.com/x.html?a=1'))
  assert.ok(!allows(spec, 'https://example.com/about'))
  assert.deepEqual(scopeOf(spec).allows('https://example.com/blog/cal/2', 1), {
    ok: false,
    reason: 'scope.refused',
    rule: 'exclude **/cal/**',
  })
})

test('an invalid domain or glob is refused when the job is created', () => {
  const invalid = (error: unknown) => error instanceof Failure && error.code === 'input.invalid'
  assert.throws(() => scopeOf({ allowedDomains: ['exa mple'] }), invalid)
  assert.throws(() => scopeOf({ include: ['{a,b}'.repeat(20)] }), invalid)
})

test('a seed that is not an absolute URL is refused, and the error names it', () => {
  assert.throws(() => compileScope({ seedUrls: ['/relative'] } as never), {
    code: 'input.invalid',
    message: /"\/relative"/,
  })
})
