// Tests the progress of a job as text for people and as JSON for programs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../../test/support/job-values.ts'
import type { Progress } from '../../roles/engine.ts'
import { doneOf, fitted, progressFacts, progressParts, shortened, waitingParts } from './progress-text.ts'

const progressOf = (change: Partial<Progress> = {}): Progress =>
  ({
    ...{ job: jobOf({ state: 'running' }), counts: countsOf(), inFlight: 0, hosts: 1 },
    ...{ waiting: [], retries: { tasks: 0, nextAt: null }, pace: null, ...change },
  }) as Progress

test('tasks that ended count as done, whatever their outcome, and tasks in flight do not', () => {
  const byState = {
    pending: 1,
    queued: 1,
    in_progress: 1,
    succeeded: 10,
    failed: 20,
    skipped: 30,
    cancelled: 40,
  }
  assert.equal(doneOf(countsOf({ byState })), 100)
})

test('a running job is shown only by its name, any other job also with its state and reason', () => {
  assert.equal(progressParts(progressOf(), 0)[0], 'job-1')
  const paused = progressOf({ job: jobOf({ state: 'paused', reason: 'user' }) })
  assert.equal(progressParts(paused, 0)[0], 'job-1 [paused: user]')
  assert.equal(progressParts(progressOf({ job: jobOf() }), 0)[0], 'job-1 [completed]')
})

test('pages loaded in a browser are counted if there are any', () => {
  const told = (rendered: number) => progressParts(progressOf({ counts: countsOf({ rendered }) }), 1.26)
  assert.ok(told(2).includes('2 in a browser'))
  assert.ok(!told(0).some(part => part.includes('browser')))
  assert.ok(told(0).includes('1.3 pages/s'))
  assert.ok(told(0).includes('1 host'))
})

const waitOf = (change: object) => ({
  ...{ reason: 'rate', hosts: 1, tasks: 5, nextAt: null, exampleHost: 'a.example', ...change },
})

test('a wait at one host shows the host and the remaining time, a wait at several hosts shows the number of hosts', () => {
  const waiting = [
    waitOf({ nextAt: 90_000 }),
    waitOf({ reason: 'something-new', hosts: 3 }),
  ] as Progress['waiting']
  const [one, several] = waitingParts(progressOf({ waiting }), 0)
  assert.match(one!, /^5 for .* a\.example, 1m30s more$/)
  assert.equal(several, '5 for something-new at 3 hosts')
})

test('the progress shows at most three waits, then the retries, and omits very short times', () => {
  const waiting = Array.from({ length: 5 }, () => waitOf({ nextAt: 1_500 })) as Progress['waiting']
  const parts = waitingParts(progressOf({ waiting, retries: { tasks: 2, nextAt: 3_000 } }), 0)
  assert.equal(parts.length, 4)
  assert.doesNotMatch(parts[0]!, /more/)
  assert.match(parts[3]!, /^2 .*3s more$/)
  assert.deepEqual(waitingParts(progressOf(), 0), [])
})

test('the JSON progress has one value per field, and its rate has one decimal', () => {
  const counts = countsOf({ tasks: 9, records: 4, rendered: 1, byState: { succeeded: 3 } })
  const waiting = [waitOf({})] as Progress['waiting']
  assert.deepEqual(progressFacts(progressOf({ counts, inFlight: 2, waiting }), 1.26), {
    ...{ job_id: 'job-1', state: 'running', reason: null, done: 3, found: 9, records: 4, rendered: 1 },
    ...{ pages_per_second: 1.3, hosts: 1, in_flight: 2, retries: 0, pace: null },
    waiting: [{ reason: 'rate', hosts: 1, tasks: 5, why: 'the rate of a.example', next_at: null }],
  })
})

test('lists, and crawls that have found enough pages for their limit, show a bar and the remaining time; other crawls do not', () => {
  const byState = { succeeded: 30 }
  const told = (job: Parameters<typeof jobOf>[0], rate: number) =>
    progressParts(
      progressOf({
        job: jobOf({ state: 'running', ...job }),
        counts: countsOf({ tasks: 100, pages: 30, byState }),
      }),
      rate,
    )
  const list = told({ kind: 'list' }, 2)
  assert.ok(list.includes('[██████░░░░░░░░░░░░░░] 30% 30 of 100'), list.join(' | '))
  assert.ok(list.includes('about 35s left'), list.join(' | '))
  assert.ok(told({ kind: 'crawl' }, 2).includes('done 30 / found 100'))
  const { spec } = jobOf()
  const bounded = told({ kind: 'crawl', spec: { ...spec, maxPages: 60 } }, 2)
  assert.ok(bounded.includes('[██████████░░░░░░░░░░] 50% 30 of 60'), bounded.join(' | '))
})

test('a rate above zero is never shown as zero', () => {
  const told = (rate: number) => progressParts(progressOf(), rate).filter(part => part.includes('pages/'))
  assert.deepEqual([told(0), told(0.03), told(2)], [[], ['1.8 pages/min'], ['2.0 pages/s']])
})

test('a long URL is shortened in the middle', () => {
  assert.equal(shortened('https://shop.example/a/long/path', 15), 'https:/…ng/path')
})

test('parts of the progress are joined until the line is full, and a part that is longer than a line is truncated', () => {
  assert.deepEqual(fitted(['ab', 'cd', 'ef'], ', ', 6), ['ab, cd', 'ef'])
  assert.deepEqual(fitted(['abcdefgh'], ', ', 5), ['abcd…'])
  assert.deepEqual(fitted(['abcde'], ', ', 5), ['abcde'])
  assert.deepEqual(fitted([], ', ', 5), [])
})

test('the rate is shown with its reason and the time for the known work, but a rate of zero is not shown', () => {
  const pace = {
    perSecond: 1,
    reason: 'default',
    host: 'a.example',
    pages: 200_007,
    leftMs: 200_007_000,
  } as const
  const parts = progressParts(progressOf({ pace }), 0)
  assert.ok(parts.includes('1/s, the polite default; --rate changes it'))
  assert.ok(
    parts.some(part => /^at least 2d8h to go$/.test(part)),
    parts.join(' | '),
  )
  assert.ok(!parts.some(part => part.includes('pages/s')))
})
