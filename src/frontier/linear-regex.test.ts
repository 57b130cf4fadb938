// Tests regular expressions over URLs: they find the same as in JavaScript, and take linear time.
import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { compileLinearRegex } from './linear-regex.ts'

const written = fc.stringMatching(/^(\(?[abc/][*+?]?|\.[*+?]?|\[[ab-c/]\]|\\d|a\{1,3\}|\||\^|\$|\))*$/)

test('an expression that both engines support gives the same matches in both', () => {
  fc.assert(
    fc.property(written, fc.stringMatching(/^[abc/1]{0,12}$/), (source, text) => {
      let theirs: RegExp
      try {
        theirs = new RegExp(source)
      } catch {
        return
      }
      assert.equal(compileLinearRegex(source)(text), theirs.test(text), `${source} on ${text}`)
    }),
    { numRuns: 500 },
  )
})

test('common regular expressions for paths match as expected', () => {
  const isIn = (source: string, text: string) => compileLinearRegex(source)(text)
  assert.ok(isIn('^/blog/.*$', '/blog/2024/hello'))
  assert.ok(!isIn('^/blog/.*$', '/news/blog/x'))
  assert.ok(isIn('products/(\\d+|new)$', '/products/new'))
  assert.ok(isIn('^/[a-z]{2}/', '/de/start'))
  assert.ok(!isIn('^/[^/]+$', '/a/b'))
})

test('a regular expression that makes JavaScript hang is evaluated at once', () => {
  assert.equal(compileLinearRegex('^(a+)+$')(`${'a'.repeat(20_000)}!`), false)
})

for (const [source, why] of [
  ['(?=a)', /is a lookaround/],
  ['(a)\\1', /"\\1" is not supported/],
  ['(a', /not closed/],
  ['a)', /closes nothing/],
  ['*a', /nothing to repeat/],
  ['(a{999}){999}', /too large/],
] as const)
  test(`the regular expression "${source}" is refused with the reason`, () => {
    assert.throws(() => compileLinearRegex(source), why)
  })

/** Each expression must find in each text the same match as in JavaScript. */
const sources = [
  ...[
    'a{2}',
    '^a{2}$',
    '^a{2,}$',
    '^a{2,3}$',
    '^(ab){0,2}$',
    '^[b-d]$',
    '^[^b-d]$',
    '^[-b]$',
    '^[b-]$',
    '^\\d$',
  ],
  ...[
    '^\\w$',
    '^\\W$',
    '^\\s$',
    '^\\S$',
    '^\\D$',
    '^(?<year>\\d{4})/',
    '^(?:a|b)c',
    '^.$',
    'a|b|c',
    '^$',
    '^[\\d/]+$',
  ],
]
const texts = [
  ...[
    '',
    'a',
    'aa',
    'aaa',
    'aaaa',
    'ab',
    'abab',
    'ababab',
    'b',
    'c',
    'd',
    'e',
    '-',
    '/',
    '0',
    '5',
    '9',
    ':',
    '@',
  ],
  ...[
    'A',
    'M',
    'Z',
    '[',
    '_',
    '`',
    'm',
    'z',
    '{',
    ' ',
    '\t',
    '\r',
    '\u00a0',
    'ac',
    'bc',
    'cc',
    '2024/',
    '202/',
    '2024/1',
  ],
]
for (const source of sources)
  test(`the regular expression "${source}" gives the same matches as in JavaScript`, () => {
    const ours = compileLinearRegex(source)
    for (const text of texts)
      assert.equal(ours(text), new RegExp(source).test(text), `${source} on ${JSON.stringify(text)}`)
  })
