// Property 38: every log line is JSON with its level, time and ids. Lines about tasks have all fields of the outcome.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../src/lib/clocks.ts'
import { Redactor } from '../../src/lib/secrets/redactor.ts'
import type { Events } from '../../src/model/events.ts'
import { JobRequests } from '../../src/observe/job-requests.ts'
import { openLog } from '../../src/observe/logging.ts'
import { ServiceMetrics } from '../../src/observe/metrics/service-metrics.ts'
import { telemetry } from '../../src/observe/telemetry.ts'
import { startTestSite } from '../site/index.ts'
import { found } from '../support/eventually.ts'
import { Workplace } from '../system/run-cli.ts'

type Line = Record<string, unknown>

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

function listening(of: string | null = null) {
  const lines: string[] = []
  const clock = new FakeClock()
  const log = openLog({ level: 'debug', secrets: new Redactor(), write: line => void lines.push(line) })
  const metrics = new ServiceMetrics(async () => ({ queueDepth: 0, jobs: 0, inFlight: 0, activeBrowsers: 0 }))
  const requests = new JobRequests()
  if (of !== null) requests.note({ id: of, traceparent }, 'request-1')
  const hear = telemetry({ log, metrics, clock, job: async () => null, requests })
  return { hear, clock, log, lines: (): Line[] => lines.map(line => JSON.parse(line) as Line), raw: lines }
}

const record = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,8}$/),
  fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.boolean()),
)

const settled: fc.Arbitrary<Events['task.settled']> = fc.record({
  jobId: fc.stringMatching(/^job-[a-z0-9]{1,10}$/),
  n: fc.integer({ min: 1, max: 1_000_000 }),
  url: fc.webUrl(),
  state: fc.constantFrom('succeeded', 'failed', 'skipped', 'pending'),
  reason: fc.constantFrom('ok', 'http.not-found', 'fetch.timeout', 'robots.disallowed'),
  message: fc.option(fc.string()),
  durationMs: fc.nat(100_000),
  attempt: fc.integer({ min: 1, max: 9 }),
  proxy: fc.option(fc.constantFrom('http://proxy.example:8080', 'http://u:p@proxy.example:8080')),
  records: fc.array(
    record.map(data => ({ data: JSON.stringify(data) }) as never),
    { maxLength: 4 },
  ),
})

describe('property 38', () => {
  test('every outcome of a task is logged as one line of JSON with all its fields', () => {
    fc.assert(
      fc.property(settled, event => {
        const here = listening(event.jobId)
        here.hear('task.settled', event)
        const [line, ...others] = here.lines()
        assert.ok(line && others.length === 0)
        assert.equal(here.raw[0]!.trimEnd().includes('\n'), false)
        assert.deepEqual(
          [line.request_id, line.job_id, line.task_id],
          ['request-1', event.jobId, `${event.jobId}.${event.n}`],
        )
        assert.equal(line.trace_id, traceparent.slice(3, 35))
        assert.equal(line.component, 'fetch')
        assert.ok(!Number.isNaN(Date.parse(String(line.timestamp))))
        if (event.state === 'failed') judgeFailed(line, event)
        else if (event.state === 'succeeded') judgeSucceeded(line, event)
        else assert.equal(line.level, 'debug')
      }),
    )
  })

  test('all log lines have the same fields; ids that do not apply are null', () => {
    const here = listening()
    here.log.info({ port: 8001 }, 'listening')
    here.log.child({ request_id: 'r' }).info({ job_id: 'j' }, 'asked')
    const [first, second] = here.lines()
    assert.deepEqual([first?.request_id, first?.job_id, first?.task_id], [null, null, null])
    assert.deepEqual([first?.trace_id, first?.span_id, first?.component], [null, null, null])
    assert.deepEqual([second?.request_id, second?.job_id, second?.task_id], ['r', 'j', null])
    assert.deepEqual([first?.level, first?.message], ['info', 'listening'])
  })

  test('at thousands of tasks per second only a sample of their lines is logged, with the number of omitted lines', () => {
    const here = listening()
    const [event] = fc.sample(settled, 1)
    for (let count = 0; count < 5_000; count += 1)
      here.hear('task.settled', { ...event!, state: 'succeeded' })
    for (let count = 0; count < 3_000; count += 1) here.hear('task.settled', { ...event!, state: 'failed' })
    assert.ok(here.lines().length <= 1_500, String(here.lines().length))
    const shown = here.lines().length
    here.clock.advance(1_000)
    here.hear('task.settled', { ...event!, state: 'succeeded' })
    here.hear('task.settled', { ...event!, state: 'failed' })
    const counts = here
      .lines()
      .slice(shown)
      .flatMap(({ lines }) => (typeof lines === 'number' ? [lines] : []))
    assert.equal(
      counts.reduce((sum, count) => sum + count, shown),
      8_000,
    )
  })
})

function judgeFailed(line: Line, event: Events['task.settled']): void {
  assert.equal(line.level, 'error')
  for (const field of ['target_url', 'proxy_used', 'error_reason', 'retry_attempts'])
    assert.ok(field in line, field)
  assert.equal(line.retry_attempts, event.attempt - 1)
  assert.equal(line.proxy_used, event.proxy === null ? null : 'http://proxy.example:8080')
}

function judgeSucceeded(line: Line, event: Events['task.settled']): void {
  assert.equal(line.level, 'info')
  assert.equal(line.target_domain, new URL(event.url).host)
  assert.equal(line.duration_ms, event.durationMs)
  const fields = event.records.flatMap(({ data }) => Object.values(JSON.parse(data) as object))
  const found = fields.filter(value => value !== null).length
  assert.equal(line.fields_extracted, found)
  if (fields.length === 0) assert.equal(line.result_completeness, null)
  else assert.ok(Math.abs(Number(line.result_completeness) - found / fields.length) < 0.0051)
}

const operatorKey = 'the-key-of-these-tests'

// Fails if the log goes to stderr, if a line of the process is not JSON, or if a failed task is logged as `info` or without its URL.
test('property 38: stdout of a service has only JSON lines, with the required fields of a task’s outcome', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  site.serve('/well', '<title>A page</title><h1>A page</h1>')
  const process = place.start(['serve', '--port', '0'], {
    env: {
      SCRAPER_API_KEY: operatorKey,
      SCRAPER_RATE: 'unlimited',
      SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
      SCRAPER_LANES: '0',
    },
  })
  const lines = (): Line[] => wholeLines(process.stdout()).map(line => JSON.parse(line) as Line)
  const origin = await found('the service', () => /listening at (http\S+?)"/.exec(process.stdout())?.[1])

  const outcomes = fc.sample(fc.boolean(), 6)
  const targets = [true, false, ...outcomes].map((isWell, index) => ({
    url: `${site.url}${isWell ? '/well' : '/missing'}?n=${index}`,
    target_type: 'page',
  }))
  const response = await fetch(`${origin}/api/v1/scrape/batch`, {
    method: 'POST',
    headers: { 'x-service-key': operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ targets }),
  })
  const { data, request_id } = (await response.json()) as { data: { job_id: string }; request_id: string }
  const ended = await found('a line for each task', () => {
    const some = lines().filter(
      line => line.job_id === data.job_id && ('target_domain' in line || 'target_url' in line),
    )
    return some.length >= targets.length ? some : undefined
  })
  process.child.kill('SIGTERM')
  await process.ended

  for (const line of lines()) {
    assert.match(String(line.level), /^(?:trace|debug|info|warn|error|fatal)$/)
    assert.ok(!Number.isNaN(Date.parse(String(line.timestamp))), JSON.stringify(line))
    for (const field of ['request_id', 'job_id', 'task_id', 'component', 'message'])
      assert.ok(field in line, `${field} is missing: ${JSON.stringify(line)}`)
  }
  assert.equal(ended.length, targets.length)
  for (const line of ended) {
    const n = Number(String(line.task_id).split('.').at(-1))
    const { url } = targets[n - 1]!
    const isWell = url.includes('/well')
    assert.deepEqual(
      [line.level, line.request_id],
      [isWell ? 'info' : 'error', request_id],
      JSON.stringify(line),
    )
    if (isWell) assertCompleted(line, new URL(url).host)
    else assertFailed(line, url)
  }
})

/** Returns only complete lines, because the last line may still be written. */
const wholeLines = (text: string): string[] => text.split('\n').slice(0, -1)

function assertCompleted(line: Line, host: string): void {
  assert.equal(line.target_domain, host)
  assert.ok(Number(line.duration_ms) >= 0)
  assert.ok(Number(line.fields_extracted) > 0)
  const completeness = Number(line.result_completeness)
  assert.ok(completeness > 0 && completeness <= 1)
}

function assertFailed(line: Line, url: string): void {
  assert.equal(line.target_url, url)
  assert.match(String(line.error_reason), /answered 404/)
  assert.deepEqual([line.retry_attempts, line.proxy_used], [0, null])
}
