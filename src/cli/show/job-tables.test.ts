// Tests how a job is printed: as a table row, and with its details.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../../test/support/job-values.ts'
import type { JobReport } from '../jobs/job-reader.ts'
import { jobFacts, jobRow, reportLines, table } from './job-tables.ts'

const reportOf = (change: Partial<JobReport> = {}): JobReport =>
  ({
    ...{
      job: jobOf(),
      counts: countsOf(),
      interrupted: false,
      named: 1,
      hosts: [],
      nextWakeAt: null,
      pace: null,
    },
    ...{ waits: [], outputs: [], walls: [], ...change },
  }) as JobReport
const textOf = (change: Partial<JobReport> = {}, now = 0) => reportLines(reportOf(change), now).join('\n')

test('columns are as wide as their widest cell, and lines have no trailing spaces', () => {
  const text = table(
    ['a', 'long'],
    [
      ['wider', ''],
      ['x', 'y'],
    ],
  )
  assert.equal(text, 'a      long\nwider\nx      y')
})

test('a job whose process was killed is shown as interrupted, with the command to resume it', () => {
  const job = jobOf({ state: 'running', finishedAt: null })
  assert.equal(jobRow({ job, counts: countsOf(), interrupted: true })[1], 'interrupted')
  assert.equal(jobFacts({ job, counts: countsOf(), interrupted: false }).state, 'running')
  assert.match(textOf({ job, interrupted: true }), /kscrape jobs resume job-1/)
  assert.doesNotMatch(textOf({ job }), /resume/)
})

test('a paused job is shown with its reason; if it stopped at a limit, with the command that raises the limit', () => {
  const job = jobOf({ state: 'paused', reason: 'limit.pages', finishedAt: null })
  assert.equal(jobRow({ job, counts: countsOf(), interrupted: false })[1], 'paused: limit.pages')
  assert.match(textOf({ job }), /kscrape jobs raise job-1/)
  assert.doesNotMatch(textOf({ job: { ...job, reason: null } }), /raise/)
})

test('the status of a job has no line for a count of zero', () => {
  const none = textOf()
  assert.doesNotMatch(none, /browser|exact parser|not followed|warnings|rows:/)
  const counts = countsOf({
    ...{ tasks: 4, records: 3, bytes: 2_500_000, rendered: 2, exactlyParsed: 1 },
    ...{ linksRefused: { 'trap.suspected': 5 }, warnings: { 'some.warning': 1 } },
    ...{ byState: { succeeded: 3, failed: 1 }, byReason: { 'http.not-found': 1, ok: 3 } },
  })
  const text = textOf({ counts, job: jobOf({ ingest: { source: '/tmp/list.csv', rows: 9, rejected: 5 } }) })
  for (const part of [/4 tasks, 3 records, 2\.5 MB/, /succeeded 3, failed 1/, /ok 3, http\.not-found 1/])
    assert.match(text, part)
  for (const part of [
    /2 pages loaded in a browser/,
    /trap\.suspected 5/,
    /some\.warning 1/,
    /9 read = 4 tasks .* 5 rejected/,
  ])
    assert.match(text, part)
})

test('a long list of URLs is truncated, and the rest is counted', () => {
  const urls = [1, 2, 3].map(n => `https://shop.example/${n}`)
  const job = jobOf({ spec: { urls } })
  assert.match(textOf({ job, named: 10 }), /shop\.example\/3 and 7 more/)
  assert.doesNotMatch(textOf({ job, named: 3 }), /more/)
  const crawl = jobOf({ kind: 'crawl', spec: { urls: undefined, seedUrls: ['https://a.example/'] } as never })
  assert.match(textOf({ job: crawl }), /starts at https:\/\/a\.example\//)
})

test('the reason why a job waits is shown only while the job runs', () => {
  const waits = ['crawl delay']
  const running = jobOf({ state: 'running', finishedAt: null, resumeAt: 61_000 })
  const text = textOf({ job: running, waits, nextWakeAt: 2_500 }, 1_000)
  assert.match(text, /crawl delay/)
  assert.match(text, /in 1m\b/)
  assert.match(text, /in 2s/)
  const ended = textOf({ job: { ...running, state: 'completed' }, waits, nextWakeAt: 2_500 }, 1_000)
  assert.doesNotMatch(ended, /crawl delay|in 1m|in 2s/)
  assert.doesNotMatch(textOf({ job: running, nextWakeAt: 1_000 }, 61_000), /in \d/)
})

test('consent beyond the polite defaults is shown', () => {
  const job = jobOf({ spec: { policy: { robots: 'ignore' }, render: 'always', browser: 'stealth' } })
  assert.match(textOf({ job }), /robots\.txt/)
  assert.match(textOf({ job }), /stealth/)
  assert.doesNotMatch(textOf(), /robots\.txt|stealth/)
})

test('the status of a job lists each host with its counts and problems, and leaves out rows without a host', () => {
  const hosts = [
    { host: 'a.example', byState: { failed: 2 }, trouble: ['does not answer'] },
    { host: '~', byState: { pending: 1 }, trouble: [] },
    { host: '', byState: { pending: 1 }, trouble: [] },
  ]
  const text = textOf({ hosts })
  assert.match(text, /host a\.example: failed 2\n +does not answer/)
  assert.equal(text.match(/host /g)?.length, 1)
})

test('an output is shown as complete if its file is complete', () => {
  const output = [
    { path: 'a.csv', format: 'csv' as const },
    { path: 'b.csv', format: 'csv' as const },
    { path: '-', format: 'jsonl' as const },
  ]
  const outputs = [
    { path: 'a.csv', done: true },
    { path: 'b.csv', done: false },
  ]
  const lines = reportLines(reportOf({ job: jobOf({ spec: { output } }), outputs }), 0).filter(line =>
    /output/.test(line),
  )
  assert.equal(lines.length, 2)
  assert.match(lines[0]!, /a\.csv: complete$/)
  assert.doesNotMatch(lines[1]!, /complete$/)
})
