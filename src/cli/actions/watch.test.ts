// Tests which differences watch ignores, and how it prints changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf, rulesOf } from './watch.ts'

type Check = Parameters<typeof linesOf>[0]
const counts = { new: 1, changed: 1, same: 3, gone: 0, failed: 0 } as unknown as Check['counts']
const change = (fields: object) =>
  ({
    status: 'changed',
    url: 'https://a.example/',
    diff: null,
    reason: null,
    ...fields,
  }) as unknown as Check['changes'][number]
const checkOf = (fields: Partial<Check>): Check =>
  ({ against: 'job-0', counts, changes: [], isCut: false, ...fields }) as Check

test('the ignore flags of watch become rules; without flags the default noise is ignored', () => {
  assert.deepEqual(rulesOf({} as never).noise, ['timestamps', 'ads', 'whitespace'])
  const rules = rulesOf({ ignore: ['numbers'], ignoreField: ['views'], ignoreLine: ['^Ad'] } as never)
  assert.deepEqual([rules.noise, rules.fields, rules.lines], [['numbers'], ['views'], ['^Ad']])
})

test('the error for an unknown kind of noise names the flag', () => {
  assert.throws(() => rulesOf({ ignore: ['weather'] } as never), {
    code: 'input.invalid',
    message: /^--ignore: /,
  })
})

test('after its first run, watch prints only the number of stored pages', () => {
  const lines = linesOf(checkOf({ against: null, changes: [change({})] }))
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /\b1 pages\b/)
})

test('changes are listed with their reason and their diff, and the counts come last', () => {
  const changes = [
    change({ diff: '-old\n\n+new\u0007' }),
    change({ status: 'gone', reason: 'http.not-found' }),
  ]
  const lines = linesOf(checkOf({ changes }))
  assert.deepEqual(lines.slice(0, 2), ['changed  https://a.example/', '    -old'])
  assert.match(lines[2]!, /^ {4}\+new/)
  assert.ok(!lines[2]!.includes('\u0007'))
  assert.equal(lines[3], 'gone     https://a.example/  http.not-found')
  assert.match(lines[4]!, /1 changed, 3 same/)
  assert.equal(lines.length, 5)
})

test('a truncated list of changes says that it is truncated', () => {
  assert.equal(linesOf(checkOf({ isCut: true })).length, linesOf(checkOf({})).length + 1)
})
