// Property 25, robots.txt compliance: a URL is allowed or not exactly as the rules of RFC 9309 say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRobots } from '../../src/dispatch/robots/index.ts'

interface Line {
  allow: boolean
  pattern: string
}

/** Decides as the RFC says: the longest matching rule decides, and Allow wins between two rules of the same length. */
function expected(lines: Line[], path: string): boolean {
  const matching = lines.filter(line => line.pattern !== '' && asRegExp(line.pattern).test(path))
  const longest = Math.max(0, ...matching.map(line => line.pattern.length))
  const deciding = matching.filter(line => line.pattern.length === longest)
  return deciding.length === 0 || deciding.some(line => line.allow)
}

function asRegExp(pattern: string): RegExp {
  const anchored = pattern.endsWith('$')
  const body = (anchored ? pattern.slice(0, -1) : pattern)
    .split('*')
    .map(piece => piece.replace(/[$.?]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${body}${anchored ? '$' : ''}`, 's')
}

const letters = fc.constantFrom('a', 'b', '/', 'ab', '.', '?', '=')
const patternOf = (signs: fc.Arbitrary<string>) =>
  fc.array(signs, { maxLength: 6 }).map(parts => `/${parts.join('')}`)
const pattern = fc.oneof(
  { weight: 9, arbitrary: patternOf(fc.oneof({ weight: 3, arbitrary: letters }, fc.constantFrom('*', '$'))) },
  fc.constantFrom('', '*', '/$', '*/', '/*$', '**'),
)
const line = fc.record({ allow: fc.boolean(), pattern })
const path = patternOf(letters)
const write = (line: Line): string => `${line.allow ? 'Allow' : 'Disallow'}: ${line.pattern}`
const fileOf = (agent: string, lines: Line[]): string =>
  [`User-agent: ${agent}`, ...lines.map(write), ''].join('\n')

test('property 25: the longest matching rule decides a path, and Allow wins a tie', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), path, (lines, url) => {
      // `Allow: …/index.html` would also allow its folder. The generated paths cannot contain this name.
      assert.equal(parseRobots(fileOf('*', lines), 'kscrape').isAllowed(url).allowed, expected(lines, url))
    }),
    { numRuns: 20_000 },
  )
})

test('property 25: rules for other agents never apply, and rules for all agents apply only if no group names our user agent', () => {
  const lines = fc.array(line, { maxLength: 4 })
  fc.assert(
    fc.property(
      lines,
      lines,
      lines,
      lines,
      path,
      fc.boolean(),
      (ours, more, everyones, others, url, named) => {
        const groups = [fileOf('otherbot', others), fileOf('*', everyones)]
        // An empty group would share the rules of the next group, so each group ends with a rule that has no effect.
        const closed = groups.map(group => `${group}Disallow:\n`)
        if (named) closed.unshift(`${fileOf('kscrape', ours)}Disallow:\n`)
        if (named) closed.push(fileOf('KScrape', more))
        const deciding = named ? [...ours, ...more] : everyones
        assert.equal(
          parseRobots(closed.join('\n'), 'kscrape').isAllowed(url).allowed,
          expected(deciding, url),
        )
      },
    ),
    { numRuns: 5_000 },
  )
})

test('property 25: the order of rules, blank lines, comments and letter case of keys make no difference', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(['a', 'b', 'c']),
      fc.array(line, { maxLength: 5 }),
      path,
      (noise, lines, url) => {
        const reversed = fileOf('*', lines.toReversed()).replace(/^\w+(?:-\w+)?/gm, key => key.toUpperCase())
        const noisy = reversed.replaceAll('\n', ` # ${noise.join(' ')}\r\n\r\n`)
        assert.equal(parseRobots(noisy, 'kscrape').isAllowed(url).allowed, expected(lines, url))
      },
    ),
    { numRuns: 5_000 },
  )
})

test('property 25: the parser accepts any content of a robots.txt', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 500 }),
      fc.string({ unit: 'binary' }),
      fc.string(),
      (bytes, url, agent) => {
        const rules = parseRobots(Buffer.from(bytes), agent)
        assert.equal(typeof rules.isAllowed(url).allowed, 'boolean')
        assert.ok(rules.crawlDelayMs === null || rules.crawlDelayMs >= 0)
      },
    ),
    { numRuns: 2_000 },
  )
})
