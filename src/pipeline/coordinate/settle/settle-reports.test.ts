// Tests what a report stores: outcomes of tasks, discovered links, and facts for waiting callers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import { compileScope } from '../../../frontier/scope.ts'
import type { TaskReport, TimedTask } from '../../../model/lane.ts'
import type { CommitResult } from '../../../ports/store.ts'
import { failedReport } from '../../work/task-report.ts'
import { parkedHost, sitemapPriority } from './settle.ts'
import { discoveriesOf, factsOf, outcomesOf, type SettlingJob, settlementFor } from './settle-reports.ts'

const task = {
  ...{ jobId: 'job', n: 7, attempt: 1, charged: 0, kind: 'page', url: 'https://shop.example/p' },
  ...{ host: 'shop.example', depth: 0, priority: 0, input: null, itemId: null, way: 'http', wayWhy: null },
  ...{ startAt: 0, gapMs: 0 },
} as TimedTask

const reportOf = (change: Partial<TaskReport> = {}): TaskReport => ({
  ...failedReport(task, null, 1_000),
  failure: null,
  ...change,
})

const links = {
  ...{
    urls: ['https://shop.example/a'],
    hosts: ['shop.example'],
    keys: new BigInt64Array([5n]),
    refused: {},
  },
}

function jobWith(change: Partial<SettlingJob> & { depth?: number } = {}): SettlingJob {
  const { depth, ...rest } = change
  const { spec } = jobOf({ spec: { ...(depth !== undefined && { depth }) } })
  const scope = compileScope({ ...spec, seedUrls: ['https://shop.example/'] } as never)
  return { kind: 'crawl', spec, scope, canonical: { query: 'sort' }, isOpen: true, ...rest }
}

const discovered = (job: SettlingJob, change: Partial<TaskReport> = { links }) =>
  discoveriesOf({ report: reportOf(change), task, job })

test('a job that has ended accepts no more tasks', () => {
  assert.equal(discovered(jobWith()).length, 1)
  assert.deepEqual(discovered(jobWith({ isOpen: false })), [])
})

test('a page without links adds no tasks', () => {
  assert.deepEqual(discovered(jobWith(), {}), [])
})

test('a crawl fetches the links it finds; a map job lists the links of its deepest level without fetching them', () => {
  const hostOf = (job: SettlingJob) => discovered(job)[0]!.tasks[0]!.host
  assert.equal(hostOf(jobWith()), 'shop.example')
  assert.equal(hostOf(jobWith({ kind: 'map' })), parkedHost)
  assert.equal(hostOf(jobWith({ kind: 'map', depth: 1 })), parkedHost)
  assert.equal(hostOf(jobWith({ kind: 'map', depth: 2 })), 'shop.example')
})

test('a sitemap may name sitemaps of hosts in the scope of the job, in any letter case', () => {
  const sitemaps = ['https://SHOP.example/b.xml?z=1&a=2', 'https://elsewhere.example/c.xml', 'mailto:me']
  const index = { ...task, kind: 'sitemap' as const, priority: sitemapPriority }
  const [found] = discoveriesOf({ report: reportOf({ sitemaps }), task: index, job: jobWith() })
  assert.deepEqual(
    found!.tasks.map(({ url, host }) => [url, host]),
    [['https://shop.example/b.xml?a=2&z=1', 'shop.example']],
  )
})

test('the policy of a task wins over the policy of its job', () => {
  const failure = { code: 'http.server-error' as const, message: 'x' }
  const context = { now: 0, random: () => 0.5, worker: 'w' }
  const stateWith = (attempts: number | null) => {
    const { policy } = jobOf({ spec: { policy: { retries: { attempts: attempts ?? 3 } } } }).spec
    const own = attempts === null ? task : { ...task, overrides: policy }
    return settlementFor({ report: reportOf({ failure }), task: own, job: jobWith() }, context).state
  }
  assert.equal(stateWith(null), 'pending')
  assert.equal(stateWith(0), 'failed')
})

test('optional facts about an attempt are stored only if the worker reported them', () => {
  assert.deepEqual(Object.keys(factsOf(reportOf())).sort(), [
    ...['endedAt', 'failure', 'finalUrl', 'sentAt', 'startedAt'],
  ])
  const identity = { id: 'v', proxy: null, cookies: null } as unknown as NonNullable<TaskReport['identity']>
  const facts = factsOf(reportOf({ lastSentAt: 0, rendering: 'helped', identity }))
  assert.deepEqual([facts.lastSentAt, facts.rendering, facts.identity], [0, 'helped', identity])
})

test('an outcome says whether the task was lost, whether it is a duplicate, and whether its request was reported before its page was parsed', () => {
  const report = reportOf({ bytes: 12 })
  const settlement = settlementFor(
    { report, task, job: jobWith() },
    {
      ...{ now: 0, random: () => 0.5, worker: 'w' },
    },
  )
  const outcome = (result: Partial<CommitResult>, wasRead?: boolean) =>
    outcomesOf([{ report, task, settlement, ...(wasRead !== undefined && { wasRead }) }], {
      ...{ lost: [], duplicates: [], ...result },
    } as unknown as CommitResult)[0]!
  const plain = outcome({}, false)
  assert.deepEqual(
    [plain.isLost, plain.isDuplicate, 'wasRead' in plain, plain.bytes],
    [false, false, false, 12],
  )
  const named = [{ jobId: 'job', n: 7 }] as never
  assert.equal(outcome({ lost: named }).isLost, true)
  assert.equal(outcome({ duplicates: named }).isDuplicate, true)
  assert.equal(outcome({}, true).wasRead, true)
})
