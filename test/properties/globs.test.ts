// Rule for every glob: it matches what the same glob matches as a regular expression.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileGlob } from '../../src/frontier/globs.ts'

/** A simple reference implementation. It backtracks and is slow, so it is only for short texts. */
function naive(glob: string): RegExp {
  const source = glob.replace(/\/\*\*+$|(?<=^|\/)\*\*+\/|\*\*+|\*|\?|[^*?]/g, token => {
    if (/^\/\*\*+$/.test(token)) return '(?:/.*)?'
    if (/^\*\*+\/$/.test(token)) return '(?:.*/)?'
    if (token.startsWith('**')) return '.*'
    if (token === '*') return '[^/]*'
    return token === '?' ? '[^/]' : token.replace(/[^a-z]/, '\\$&')
  })
  return new RegExp(`^${source}$`, 's')
}

const globPart = fc.constantFrom('a', 'b', '/', '*', '**', '?', '.', '/**/', 'ab')
const globs = fc.array(globPart, { maxLength: 8 }).map(parts => `/${parts.join('')}`)
const paths = fc
  .array(fc.constantFrom('a', 'b', '/', '.', 'ab'), { maxLength: 10 })
  .map(parts => `/${parts.join('')}`)

test('a glob over the path agrees with a simple reference implementation', () => {
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      // `/**` alone is left out: our code requires its slash, and the reference implementation does not.
      fc.pre(!/^\/\*\*+$/.test(glob))
      assert.equal(
        compileGlob(glob).matches(`https://h.example${path}`),
        naive(glob).test(path),
        `${glob} on ${path}`,
      )
    }),
    { numRuns: 20_000 },
  )
})

test('a literal path matches itself and nothing else', () => {
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      assert.equal(compileGlob(one).matches(`https://h.example${other}`), one === other)
    }),
  )
})
