// Tests pages that are parsed in a separate process: a page may kill this process, but nothing else.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import test from 'node:test'
import type { LaneJob } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { LeasedTask } from '../../model/task.ts'
import { inForce } from '../../pipeline/submit/policy-in-force.ts'
import { parseJobSpec } from '../../pipeline/submit/submit-job.ts'
import { LaneReader } from './lane-reader.ts'
import { ReaderProcess, whyTooLate } from './page-reader.ts'

const url = 'http://a.example/'
const spec = inForce(parseJobSpec({ urls: [url] }))
const job: LaneJob = {
  ...{ id: 'job', kind: 'list', workspace: 'default', spec },
  ...{ userAgent: 'test', cookies: null, slots: 1 },
}
const task: LeasedTask = {
  ...{ jobId: 'job', n: 1, attempt: 1, charged: 0, kind: 'page', url, host: 'a.example' },
  ...{ depth: 0, priority: 0, input: null, itemId: null, way: 'http', wayWhy: null },
}

function pageOf(body: string, type = 'text/html'): Page {
  const bytes = Buffer.from(body)
  return {
    ...{ url, finalUrl: url, status: 200, headers: [['content-type', type]], body: bytes },
    ...{ wireBytes: bytes.length, startedAt: 0, sentAt: 0, endedAt: 0 },
  } as unknown as Page
}

test('a page that kills its parser process twice fails as too costly, and the next page is parsed', async () => {
  await using reader = new ReaderProcess({ scraperFiles: [] }, { heapMb: 64 })
  const bomb = pageOf(`[${'{},'.repeat(990_000)}0]`, 'application/json')
  await assert.rejects(reader.read(job, task, bomb), {
    code: 'page.too-costly',
    message: /crashed on it 2 times/,
  })
  const { extracted } = await reader.read(job, task, pageOf('<title>Good</title>'))
  assert.equal(extracted[0]?.data.title, 'Good')
})

test('a page that takes too long is aborted at once, and the next page is parsed', async () => {
  await using reader = new ReaderProcess({ scraperFiles: [] }, { timeoutMs: 1 })
  await assert.rejects(reader.read(job, task, pageOf('<p>')), {
    code: 'page.too-costly',
    message: /longer than/,
  })
  await using patient = new ReaderProcess({ scraperFiles: [] })
  assert.equal((await patient.ask('texts', { page: pageOf('<title>x</title><body>y') }))?.text, 'y')
})

test('a page that is still open in a browser is parsed', async () => {
  await using reader = new ReaderProcess({ scraperFiles: [] })
  const live = { waitFor: async () => true, scroll: async () => 0, html: async () => '' }
  const page = { ...pageOf('<title>Rendered</title>'), rendered: { why: 'asked', artifacts: [], live } }
  const { extracted } = await reader.read(job, task, page)
  assert.equal(extracted[0]?.data.title, 'Rendered')
})

test('a failure of the page itself is returned unchanged', async () => {
  await using reader = new ReaderProcess({ scraperFiles: [] })
  const rules = { fields: { a: { xpath: '//*[', many: false } } }
  await assert.rejects(reader.ask('try-rules', { page: pageOf('<p>'), rules: rules as never }), {
    code: 'input.invalid',
  })
})

test('a page for a scraper in a lane is parsed first in a test process that has as much memory as a lane', async () => {
  await using reader = new LaneReader({ scraperFiles: [] })
  const json = `[${'{},'.repeat(6_000_000)}0]`
  await assert.rejects(reader.probe(pageOf(json, 'application/json')), { code: 'page.too-costly' })
  const article = `<title>x</title>${'<p>An ordinary paragraph of a long page, with <a href=/x>a link</a>.'.repeat(30_000)}`
  assert.equal(await reader.probe(pageOf(article)), null)
})

test('records that are too large never leave the parser process', async () => {
  await using reader = new ReaderProcess({ scraperFiles: [] })
  const strict = { ...job, spec: { ...spec, policy: { ...spec.policy, maxRecordBytes: 1_000 } } }
  const long = pageOf('word '.repeat(1_000), 'text/plain')
  await assert.rejects(reader.read(strict, task, long), { code: 'record.too-large' })
  const masked = { ...strict, spec: { ...strict.spec, pii: 'drop' as const } }
  assert.equal((await reader.read(masked, task, long)).extracted.length, 1)
})

const onLinux = {
  skip: process.platform === 'linux' ? false : 'only Linux has a priority per thread, and CPU times in /proc',
}

for (const { isAwaited, priority } of [
  { isAwaited: false, priority: 15 },
  { isAwaited: true, priority: constants.priority.PRIORITY_BELOW_NORMAL },
])
  test(
    `every thread of a parser process ${isAwaited ? 'for callers' : 'for jobs'} has the priority ${priority}, even the garbage collector`,
    onLinux,
    async () => {
      await using reader = new ReaderProcess({ scraperFiles: [] }, { isAwaited })
      const before = new Set(childrenOfThisProcess())
      await reader.read(job, task, pageOf('<title>Good</title>'))
      const pid = childrenOfThisProcess().find(child => !before.has(child))
      assert.ok(pid, 'the reader is a child of this process')
      const threads = readdirSync(`/proc/${pid}/task`).map(thread =>
        niceOf(`/proc/${pid}/task/${thread}/stat`),
      )
      assert.ok(threads.length > 1)
      assert.deepEqual([...new Set(threads)], [priority])
    },
  )

test('the time limit of a page counts CPU time, so a page on a busy machine is not too costly', () => {
  const limits = { timeoutMs: 60_000, longestMs: 600_000 }
  assert.equal(whyTooLate({ cpuMs: 1_000, elapsedMs: 300_000 }, limits), null)
  assert.match(whyTooLate({ cpuMs: 60_000, elapsedMs: 60_000 }, limits)!, /longer than 60000 ms/)
  assert.match(whyTooLate({ cpuMs: 1_000, elapsedMs: 600_000 }, limits)!, /not parsed within 600000 ms/)
})

test(
  'a page that is not parsed within the longest time fails, even if it uses no CPU time',
  onLinux,
  async () => {
    await using reader = new ReaderProcess({ scraperFiles: [] }, { longestMs: 1 })
    await assert.rejects(reader.read(job, task, pageOf('<title>Late</title>')), {
      code: 'page.too-costly',
      message: /not parsed within 1 ms/,
    })
  },
)

const childrenOfThisProcess = (): string[] =>
  readdirSync('/proc/self/task').flatMap(thread =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )

/** Reads the priority from a /proc stat line: the 19th value. The second value is a name in parentheses, which may contain
 *  spaces. */
const niceOf = (file: string): number => {
  const line = readFileSync(file, 'utf8')
  return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16])
}
