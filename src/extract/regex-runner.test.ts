// Tests the matches of users' patterns, and that no pattern can block the program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import vectors from '../../test/vectors/bad-inputs/regexes.json' with { type: 'json' }
import { Failure } from '../model/failures.ts'
import { compilePattern } from './regex-jobs.ts'
import { openRegexRunner, type RegexJob } from './regex-runner.ts'

const job = (written: string, text: string, many = false): RegexJob => ({
  ...compilePattern(written, 'fields.x.regex'),
  text,
  many,
})

test('a pattern returns its first group, or the whole match if it has no group, for one match or for all matches', async () => {
  await using regexes = openRegexRunner()
  const answers = await regexes.run([
    job('SKU-(\\d+)', 'SKU-12 SKU-34'),
    job('\\d+', 'SKU-12 SKU-34', true),
    job('x', 'SKU'),
    job('(?i)sku\\-(1)?', 'SKU-2'),
  ])
  assert.deepEqual(answers, [{ found: ['12'] }, { found: ['12', '34'] }, { found: [] }, { found: [] }])
})

for (const pattern of vectors.invalid) {
  test(`the pattern ${JSON.stringify(pattern)} is refused, and the error names the field`, () => {
    assert.throws(
      () => compilePattern(pattern, 'fields.x.regex'),
      (error: Failure) => error.code === 'input.invalid' && error.message.startsWith('fields.x.regex: '),
    )
  })
}

for (const pattern of [...vectors.backreference, ...vectors.lookaround]) {
  test(`the pattern ${JSON.stringify(pattern)} is allowed although it may be slow, because its thread can be killed`, () => {
    assert.doesNotThrow(() => compilePattern(pattern, 'fields.x.regex'))
  })
}

test('a pattern over the length limit is refused', () => {
  assert.throws(() => compilePattern('a'.repeat(1_001), 'fields.x.regex'), Failure)
})

/** Expands the short form of the test vectors: `a*28!` means 28 times the letter a, then an exclamation mark. */
const expand = (text: string): string =>
  text.replace(/^(space|.+?)\*(\d+)/, (_, unit: string, count: string) =>
    (unit === 'space' ? ' ' : unit).repeat(Number(count)),
  )

test('a slow pattern blocks neither the calling thread nor concurrent patterns', async () => {
  await using regexes = openRegexRunner()
  const bad = vectors.catastrophic.map(({ re, s }) => job(re, expand(s)))
  const answers = await regexes.run([job('a', 'a'), ...bad, job('b', 'b')])
  assert.deepEqual(answers[0], { found: ['a'] })
  assert.deepEqual(answers[1], { why: 'regex timed out' })
  assert.deepEqual(answers.at(-1), { found: ['b'] })
  assert.equal(answers.length, bad.length + 2)
})

test('a pattern that hung on one row is skipped for the rest of the batch, and runs again in the next batch', async () => {
  await using regexes = openRegexRunner()
  const rows = Array.from({ length: 500 }, () => job('^(a+)+$', `${'a'.repeat(40)}!`))
  const answers = await regexes.run(rows)
  assert.ok(answers.every(answer => 'why' in answer))
  assert.deepEqual(await regexes.run([job('^(a+)+$', 'aaa')]), [{ found: ['aaa'] }])
})

test('text over the size limit is not searched, and the result says so', async () => {
  await using regexes = openRegexRunner()
  const [answer] = await regexes.run([job('a', 'a'.repeat(1_000_001))])
  assert.deepEqual(answer, { why: 'text longer than 1000000 characters' })
})

test('each of several concurrent batches gets its own results', async () => {
  await using regexes = openRegexRunner()
  const batches = await Promise.all(['1', '2', '3'].map(digit => regexes.run([job('\\d', `a${digit}`)])))
  assert.deepEqual(batches, [[{ found: ['1'] }], [{ found: ['2'] }], [{ found: ['3'] }]])
})
