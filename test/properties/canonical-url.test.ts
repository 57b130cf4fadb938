// Tests two rules for every URL: it has one canonical form, and our fast methods give the same result as the URL standard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalByStandard, canonicalUrl } from '../../src/frontier/canonical-url.ts'
import { PageLinks } from '../../src/frontier/page-links.ts'

const options = fc.record({ query: fc.constantFrom('sort' as const, 'keep' as const) })

/** Parts of URLs that are difficult to parse, mixed with ordinary ones. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-zA-Z0-9._~-]{1,8}$/) },
  fc.constantFrom(
    '.',
    '..',
    '...',
    '',
    '%2e',
    '%2E%2e',
    '.%2E',
    '~',
    '%7e',
    '%41',
    '%%341',
    '%',
    '%zz',
    '%C3%A9',
    'é',
    '日本',
  ),
  fc.constantFrom(
    ';jsessionid=1A',
    '..;jsessionid=2',
    '(S(lit3py55t21z5v55vlm25s55))',
    ';a=b',
    '*',
    '@',
    ':',
    'a:b',
    '[x]',
    '|',
    "'",
    '(',
    ' ',
  ),
  fc.string({ maxLength: 6, unit: 'binary' }),
)
const name = fc.oneof(
  fc.stringMatching(/^[a-z]{1,3}$/),
  fc.constantFrom(
    'utm_source',
    'UTM_medium',
    'utm%5Fterm',
    'fbclid',
    '_ga',
    'sid',
    'PHPSESSID',
    '',
    'a%',
    '%61',
    'b+c',
    'ref',
    'constructor',
  ),
)
const value = fc.oneof(
  piece,
  fc.constantFrom('0123456789abcdef0123456789abcdef', '=', '==', '?', '/../', '#x'),
)
const parameter = fc.oneof(
  name,
  fc.tuple(name, value).map(parts => parts.join('=')),
)
const query = fc.oneof(
  fc.constant(''),
  fc.array(parameter, { maxLength: 5 }).map(parts => `?${parts.join('&')}`),
)
const fragment = fc.constantFrom('', '', '#', '#top', '#a?b#c')
const path = fc.array(piece, { maxLength: 6 }).map(parts => parts.join('/'))
const host = fc.oneof(
  fc.constantFrom(
    'example.com',
    'EXAMPLE.com',
    'www.example.com',
    'example.com.',
    'a..b',
    '-a-.com',
    'a_b.example',
    'bücher.example',
  ),
  fc.constantFrom(
    'xn--bcher-kva.example',
    'xn--',
    'a.xn--x',
    '127.0.0.1',
    '0x7f.1',
    '0x7f.1..',
    '1.2.3',
    '1.2.3.4',
    '192.168.0.255',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4.5',
    '1.2.3.4.',
    '[::1]',
    'localhost',
    'a.0b',
    'a.b1',
    '1.a',
  ),
  fc.constantFrom(
    'user:pass@example.com',
    'a@b@c.example',
    '.',
    '..',
    '',
    'a.-b',
    'exa mple.com',
    'a%41.example',
    'ex\tample.com',
  ),
  fc.stringMatching(/^[a-z0-9.-]{1,12}$/),
)
const port = fc.constantFrom(
  '',
  '',
  '',
  ':80',
  ':443',
  ':8080',
  ':0',
  ':1000',
  ':1080',
  ':10443',
  ':59999',
  ':65535',
  ':65536',
  ':99999',
  ':',
  ':08080',
)
const scheme = fc.constantFrom(
  'http://',
  'https://',
  'HTTP://',
  'https:/',
  'https:',
  'http:\\\\',
  ' http://',
  'ftp://',
  'file:///',
  'h',
)
const absolute = fc
  .tuple(scheme, host, port, fc.constantFrom('/', '/', '/', '', '//'), path, query, fragment)
  .map(parts => parts.join(''))
const relative = fc
  .tuple(
    fc.constantFrom('', '/', '//', './', '../', '../../', '../../../', '\\', '?', '#', ' '),
    path,
    query,
    fragment,
  )
  .map(parts => parts.join(''))
const odd = fc.oneof(
  fc.constantFrom(
    'mailto:x@y.example',
    'javascript:void(0)',
    'data:,x',
    'tel:+1',
    '//',
    '///a',
    'http:a',
    'https:?a',
    'blob:http://a/',
  ),
  fc.string({ maxLength: 30, unit: 'binary' }),
)
const anyHref = fc.oneof(absolute, relative, odd)

test('the canonical form of a canonical URL is the same URL', () => {
  fc.assert(
    fc.property(anyHref, absolute, options, (href, base, how) => {
      const once = canonicalUrl(href, how, base)
      if (once !== null) assert.equal(canonicalUrl(once, how), once)
    }),
    { numRuns: 20_000 },
  )
})

test('a canonical URL is http(s), has no fragment, credentials or default port, and does not change when it is parsed', () => {
  fc.assert(
    fc.property(absolute, options, (href, how) => {
      const canonical = canonicalUrl(href, how)
      if (canonical === null) return
      const url = new URL(canonical)
      assert.equal(url.href, canonical)
      assert.match(canonical, /^https?:\/\/[^/@#]+\/[^#]*$/)
      assert.ok(canonical.length <= 8_192)
    }),
    { numRuns: 5_000 },
  )
})

test('the fast path for absolute URLs gives the same result as the URL standard', () => {
  fc.assert(
    fc.property(absolute, options, (href, how) => {
      assert.equal(canonicalUrl(href, how), canonicalByStandard(href, how))
    }),
    { numRuns: 20_000 },
  )
})

test('the fast method that resolves the links of a page gives the same URLs as the URL standard', () => {
  fc.assert(
    fc.property(anyHref, absolute, options, (href, base, how) => {
      assert.equal(new PageLinks(base, how).resolve(href), canonicalByStandard(href, how, base))
    }),
    { numRuns: 30_000, examples: [['../', 'http://example.com/%41/%41/%?', { query: 'sort' }]] },
  )
})

test('if queries are sorted, URLs that differ only in the order of parameters are the same page', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{2,4}$/), { minLength: 1, maxLength: 6 }),
      fc.nat(),
      (names, turn) => {
        const at = turn % names.length
        const turned = [...names.slice(at), ...names.slice(0, at)]
        const urlOf = (list: string[]) => `https://example.com/?${list.map(each => `${each}=1`).join('&')}`
        assert.equal(
          canonicalUrl(urlOf(names), { query: 'sort' }),
          canonicalUrl(urlOf(turned), { query: 'sort' }),
        )
      },
    ),
  )
})
