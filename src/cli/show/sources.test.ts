// Tests the list of sources of fields, for a whole job and for one task.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someAttempt, someRecord, someTask } from '../../../test/support/results-parts.ts'
import type { SourceCount, SourceCounts } from '../../lib/source-counts.ts'
import { attemptFacts, recordFacts, sourceLines, taskLines } from './sources.ts'

const countsOf = (records: number, fields: Record<string, SourceCount[]>) =>
  ({ records, fields }) as unknown as SourceCounts

test('fields whose source is the whole page are not listed among the sources', () => {
  assert.deepEqual(sourceLines(countsOf(3, { text: [{ from: 'page', count: 3 }] }), 3), [])
  const fields = { text: [{ from: 'page', count: 3 }], price: [{ from: 'css', by: '.p', count: 3 }] } as never
  const lines = sourceLines(countsOf(3, fields), 3)
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /^ {2}price {2}.*\.p.* 3$/)
})

test('if only the first records were counted, the list of sources says so', () => {
  const fields = { price: [{ from: 'css', by: '.p', count: 3 }] } as never
  const lines = sourceLines(countsOf(3, fields), 8)
  assert.match(lines[0]!, /\b3 of 8\b/)
  assert.match(lines.at(-1)!, /--provenance/)
})

test('at most five sources of a field are listed, and the others are counted together', () => {
  const ways = Array.from({ length: 7 }, (_, n) => ({ from: 'css', by: `.c${n}`, count: 7 - n }))
  const [, line] = sourceLines(countsOf(9, { price: ways as never }), 9)
  assert.match(line!, /\.c4/)
  assert.doesNotMatch(line!, /\.c5/)
  assert.match(line!, / 3$/)
})

test('a missing value is counted with its reason', () => {
  const ways = [{ from: 'none', why: 'no match', count: 2 }]
  const [, line] = sourceLines(countsOf(2, { price: ways as never }), 2)
  assert.match(line!, /none 2 \(.*no match/)
})

test('a task is shown with its attempts and the sources of its records', () => {
  const record = someRecord(
    1,
    { title: 'x'.repeat(200) },
    { provenance: '{"title":{"from":"css","by":"h1"}}' },
  )
  const task = someTask(1, { state: 'failed', reason: 'http.not-found', message: 'HTTP 404', itemId: 'tea' })
  const attempt = someAttempt({ way: 'browser', status: null, outcome: 'fetch.timeout' })
  const lines = taskLines({ task, attempts: [attempt, someAttempt()], records: [record] } as never)
  const text = lines.join('\n')
  assert.match(lines[0]!, /failed {2}http\.not-found: HTTP 404$/)
  assert.match(text, /item tea/)
  assert.match(text, /attempt 1 by browser at .*: fetch\.timeout, 45 ms$/m)
  assert.match(text, /: ok, HTTP 200, 45 ms$/m)
  assert.match(text, /"x{99}… {2}← .*h1/)
  assert.doesNotMatch(text, /no records/)
  assert.match(taskLines({ task, attempts: [], records: [] } as never).join('\n'), /no records/)
})

test('the JSON output of a task has times in ISO 8601 and data as JSON', () => {
  const facts = recordFacts(someRecord(1, { a: 1 }))
  assert.deepEqual(facts.data, { a: 1 })
  assert.match(facts.fetched_at, /^2026-03-04T05:06:07/)
  const attempt = attemptFacts(someAttempt())
  assert.equal(Date.parse(attempt.ended_at) - Date.parse(attempt.started_at), 45)
})
