// Tests the summary of an ended job: counts, files, and suggested commands.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import picocolors from 'picocolors'
import { countsOf, jobOf } from '../../../test/support/job-values.ts'
import type { Talk } from '../talk.ts'
import { againFlags, type Ended, nameOf, sayEnding } from './summary.ts'

function linesOf(change: Partial<Ended>): string[] {
  const lines: string[] = []
  const talk = { colors: picocolors.createColors(false), say: (line: string) => lines.push(line) }
  sayEnding(talk as unknown as Talk, {
    job: jobOf(),
    counts: countsOf(),
    tookMs: 1_234,
    again: '',
    ...change,
  })
  return lines
}

const commandsIn = (lines: string[]): string[] =>
  lines.flatMap(line => /kscrape (?:jobs )?\w+.*/.exec(line)?.[0] ?? [])

test('the first line has the state, the job, the results and the duration', () => {
  const [head] = linesOf({ counts: countsOf({ records: 1, pages: 2 }) })
  assert.equal(head, 'completed job-1: 1 record from 2 pages in 1.2 s')
})

test('a duration above a minute is shown in minutes, and a paused job is shown with its reason', () => {
  const [head] = linesOf({ job: jobOf({ state: 'paused', reason: 'user' }), tookMs: 61_400 })
  assert.match(head!, /^paused job-1: .* in 1m1s \(user\)$/)
})

test('the summary counts successful pages first, then sitemaps, then other outcomes by frequency', () => {
  const byReason = { ok: 5, 'http.not-found': 1, 'fetch.timeout': 3 } as const
  const rows = linesOf({ counts: countsOf({ pages: 4, byReason }) }).filter(line => /^ +\d+ {2}/.test(line))
  assert.deepEqual(
    rows.map(row => row.trim().replace(/ +/g, ' ')),
    ['4 ok', '1 ok (sitemaps)', '3 fetch.timeout', '1 http.not-found'],
  )
})

test('the summary counts rows that did not run, and names a source that had no rows', () => {
  const source = join(process.cwd(), 'rows.csv')
  const ingest = { source, rows: 9, duplicates: 1, rejected: 2, blank: 3 }
  assert.match(linesOf({ job: jobOf({ ingest }) }).join('\n'), /1 duplicate, 2 rejected, 3 blank/)
  assert.match(linesOf({ job: jobOf({ ingest: { source, rows: 0 } }) }).join('\n'), /rows\.csv holds no rows/)
})

test('files are reported as written only after the job has ended, and standard output is not reported as a file', () => {
  const output = [
    { path: join(process.cwd(), 'out.csv'), format: 'csv' },
    { path: '-', format: 'jsonl' },
  ] as const
  const told = (state: 'completed' | 'paused') =>
    linesOf({ job: jobOf({ state, spec: { output: [...output] } }) }).filter(line => line.includes('out.csv'))
  assert.deepEqual(told('completed'), ['  wrote out.csv'])
  assert.equal(told('paused').length, 1)
  assert.doesNotMatch(told('paused')[0]!, /wrote/)
})

test('the summary of an ended job suggests commands that retry, list and explain its failed tasks', () => {
  const counts = countsOf({ byState: { failed: 1 } })
  assert.deepEqual(commandsIn(linesOf({ counts, again: ' --data-dir d --allow-private a:1' })), [
    'kscrape jobs retry job-1 --failed --data-dir d --allow-private a:1',
    'kscrape jobs show job-1 --tasks failed --data-dir d',
    'kscrape explain job-1 URL --data-dir d',
  ])
})

test('the summary counts dead links of a completed crawl, suggests no retry, and explains the exit code of --strict', () => {
  const counts = countsOf({ byState: { failed: 2 }, byReason: { 'http.not-found': 2 } })
  const lines = linesOf({ counts })
  assert.ok(lines.includes('  dead links: 2 links answered 404 or 410'), lines.join('\n'))
  assert.deepEqual(commandsIn(lines), ['kscrape jobs show job-1 --tasks failed', 'kscrape explain job-1 URL'])
  assert.match(
    linesOf({ counts, strict: true }).join('\n'),
    /404 or 410; because of --strict the exit code is 3/,
  )
  const job = jobOf({ state: 'partially_completed' })
  assert.doesNotMatch(linesOf({ job, counts }).join('\n'), /dead links/)
})

test('for a paused job of a service, the summary suggests the command to resume the job, but not `kscrape explain`', () => {
  const counts = countsOf({ byState: { failed: 1 } })
  const job = jobOf({ state: 'paused', reason: 'user' })
  assert.deepEqual(commandsIn(linesOf({ job, counts, again: ' --server http://s' })), [
    'kscrape jobs resume job-1 --server http://s',
    'kscrape jobs show job-1 --tasks failed --server http://s',
  ])
})

test('the summary of a job at a limit shows the command that raises the limit', () => {
  const raise = (reason: string) => commandsIn(linesOf({ job: jobOf({ state: 'paused', reason }) }))[0]
  assert.equal(raise('limit.browser-seconds'), 'kscrape jobs raise job-1 browser=1h')
  assert.equal(raise('limit.pages'), 'kscrape jobs raise job-1 pages=N')
})

test('if records were only printed, the summary suggests an export', () => {
  const counts = countsOf({ records: 3 })
  assert.match(commandsIn(linesOf({ counts })).join(), /jobs export job-1 -o/)
  const job = jobOf({ spec: { output: [{ path: '/tmp/out.csv', format: 'csv' }] } })
  assert.deepEqual(commandsIn(linesOf({ job, counts })), [])
})

test('a path below the current folder is shown relative to it', () => {
  assert.equal(nameOf(join(process.cwd(), 'a/b.csv')), join('a', 'b.csv'))
  assert.equal(nameOf('/elsewhere/b.csv'), '/elsewhere/b.csv')
})

test('a suggested command includes the data directory and allowed private addresses, but no defaults', () => {
  assert.equal(againFlags('.kscrape'), '')
  assert.equal(againFlags('d', ['a:1', 'b:2']), ' --data-dir d --allow-private a:1 --allow-private b:2')
})
