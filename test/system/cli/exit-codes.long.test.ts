// Tests exit codes: each code from a real run, and which code is used if several apply.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Ending, exitCodeOf, exitCodes } from '../../../src/cli/exit-codes.ts'
import type { Job, JobCounts } from '../../../src/model/job.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { Workplace } from '../run-cli.ts'

const quick = (site: TestSite) => ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]

const none = { pending: 0, queued: 0, in_progress: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0 }

function ending(job: Partial<Job>, counts: Partial<JobCounts>, others: Partial<Ending> = {}): Ending {
  const { byState, ...rest } = counts
  return {
    job: { kind: 'crawl', state: 'completed', reason: null, spec: {}, ...job } as Job,
    counts: {
      tasks: 1,
      records: 1,
      pages: 1,
      bytes: 0,
      byReason: {},
      exactlyParsed: 0,
      rendered: 0,
      browserMs: 0,
      llmTokens: 0,
      linksRefused: {},
      warnings: {},
      ...rest,
      byState: { ...none, succeeded: 1, ...byState },
    },
    interrupted: false,
    ...others,
  }
}

const throttled = { byReason: { 'host.throttled': 1 }, byState: { ...none, succeeded: 1, failed: 1 } }
const cut = { byReason: { 'budget.max-pages': 9 } }
const operator = { maxPagesPerJob: 1 }

test('each kind of ending has its exit code; if several apply, the order of priority is that of docs/exit-codes.md', () => {
  const cases: Array<[keyof typeof exitCodes, Ending]> = [
    ['ok', ending({}, {})],
    ['ok', ending({ spec: { maxPages: 1 } as Job['spec'] }, cut, operator)],
    ['budget', ending({}, cut, operator)],
    [
      'someFailed',
      ending(
        { state: 'partially_completed' },
        { ...cut, byState: { ...none, succeeded: 1, failed: 1 } },
        operator,
      ),
    ],
    ['someFailed', ending({ state: 'failed' }, { records: 0, pages: 0, byState: { ...none, failed: 3 } })],
    ['nothing', ending({}, { records: 0 })],
    ['nothing', ending({}, { records: 0, byState: { ...none, succeeded: 1, failed: 1 } })],
    ['blocked', ending({}, { records: 0, ...throttled })],
    [
      'blocked',
      ending(
        {},
        { records: 0, pages: 0, byReason: { 'robots.disallowed': 1 }, byState: { ...none, skipped: 1 } },
      ),
    ],
    ['ok', ending({}, { byReason: { 'robots.disallowed': 1 } })],
    [
      'blocked',
      ending(
        { state: 'failed' },
        {
          records: 0,
          pages: 0,
          byReason: { 'blocked.login': 2, 'http.not-found': 1 },
          byState: { ...none, failed: 3 },
        },
      ),
    ],
    [
      'someFailed',
      ending({}, { byReason: { 'blocked.login': 1 }, byState: { ...none, succeeded: 1, failed: 1 } }),
    ],
    ['blocked', ending({ state: 'paused', reason: 'breaker' }, {})],
    ['error', ending({ state: 'paused', reason: 'storage.full' }, throttled)],
    ['error', ending({ state: 'failed', reason: 'urls.json is not JSON' }, throttled)],
    ['error', ending({ state: 'cancelled' }, throttled)],
    ['interrupted', ending({ state: 'cancelled' }, throttled, { interrupted: true })],
  ]
  for (const [name, given] of cases)
    assert.equal(exitCodeOf(given), exitCodes[name], `${name}: ${JSON.stringify(given)}`)
})

test('real commands end with the exit codes that the docs name', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open({ warm: false })
  const code = async (args: string[], env?: Record<string, string>) =>
    (await place.run([...args, ...quick(site), '--quiet', '-o', 'out.jsonl'], { ...(env && { env }) })).code
  const limited = { SCRAPER_MAX_PAGES_PER_JOB: '3' }
  assert.equal(await code(['crawl', `${site.url}/`, '--max-pages', '3']), 0, 'the caller’s own limit')
  assert.equal(await code(['crawl', `${site.url}/`], limited), 4, 'the operator’s limit')
  assert.equal((await place.records('out.jsonl')).length, 3)
  assert.equal(
    await code(['crawl', `${site.url}/`, '--max-pages', '2'], limited),
    0,
    'the caller’s own limit was reached first',
  )
  assert.equal(await code(['crawl', `${site.url}/private/ledger`, '--sitemap', 'skip']), 5)
  await writeFile(place.file('each.yaml'), 'each: .no-such-thing\nfields: { name: h1 }\n')
  assert.equal(
    await code(['crawl', `${site.url}/about`, '--depth', '0', '--sitemap', 'skip', '--extract', 'each.yaml']),
    6,
  )
  await writeFile(place.file('broken.json'), '[')
  assert.equal(await code(['run', 'broken.json']), 1)
})

test('docs/exit-codes.md lists every code', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../docs/exit-codes.md'), 'utf8')
  for (const code of Object.values(exitCodes)) assert.match(page, new RegExp(`^\\| ${code} +\\|`, 'm'))
})
