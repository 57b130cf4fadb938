// Regular expressions over URLs: they say what JavaScript's say, and no text makes them slow.
import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { compileLinearRegex } from './linear-regex.ts'

const written = fc.stringMatching(/^(\(?[abc/][*+?]?|\.[*+?]?|\[[ab-c/]\]|\\d|a\{1,3\}|\||\^|\$|\))*$/)

test('an expression that both understand finds the same', () => {
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

test('what people write for paths works', () => {
  const isIn = (source: string, text: string) => compileLinearRegex(source)(text)
  assert.ok(isIn('^/blog/.*$', '/blog/2024/hello'))
  assert.ok(!isIn('^/blog/.*$', '/news/blog/x'))
  assert.ok(isIn('products/(\\d+|new)$', '/products/new'))
  assert.ok(isIn('^/[a-z]{2}/', '/de/start'))
  assert.ok(!isIn('^/[^/]+$', '/a/b'))
})

test('an expression that makes others hang is answered at once', () => {
  assert.equal(compileLinearRegex('^(a+)+$')(`${'a'.repeat(20_000)}!`), false)
})

for (const [source, why] of [
  ['(?=a)', /looks around/],
  ['(a)\\1', /"\\1" is not known/],
  ['(a', /not closed/],
  ['a)', /closes nothing/],
  ['*a', /nothing to repeat/],
  ['(a{999}){999}', /too large/],
] as const)
  test(`"${source}" is refused with the reason`, () => {
    assert.throws(() => compileLinearRegex(source), why)
  })
