// Tests the log lines, spans and metrics of events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../test/support/job-values.ts'
import { FakeClock } from '../lib/clocks.ts'
import type { Events } from '../model/events.ts'
import type { Job } from '../model/job.ts'
import type { Log } from '../server/parts.ts'
import type { ServiceMetrics } from './metrics/service-metrics.ts'
import { telemetry } from './telemetry.ts'

interface Line {
  level: string
  fields: Record<string, unknown>
  message: string
}

function listen({
  job = async () => null,
  isHearsay = false,
}: {
  job?: () => Promise<Job | null>
  isHearsay?: boolean
} = {}) {
  const clock = new FakeClock()
  const lines: Line[] = []
  const ended: unknown[] = []
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message })
  const log = {
    ...{ info: write('info'), warn: write('warn'), error: write('error'), debug: write('debug') },
    child: () => log,
  } as unknown as Log
  const metrics = {
    ...{ hear: () => {}, heard: () => {} },
    ended: (...told: unknown[]) => ended.push(told),
    heardOfEnd: (took: unknown) => ended.push(['hearsay', took]),
  } as unknown as ServiceMetrics
  return { clock, lines, ended, hear: telemetry({ log, metrics, clock, job, isHearsay }) }
}

const settled = (change: object = {}) =>
  ({
    ...{
      jobId: 'job-1',
      n: 7,
      url: 'https://a.example:8443/x',
      state: 'succeeded',
      reason: 'ok',
      message: null,
    },
    ...{ durationMs: 12.6, attempt: 1, proxy: null, records: [], ...change },
  }) as unknown as Events['task.settled']

test('the span of a finished task has its site, and how complete its records are', () => {
  const { hear, lines } = listen()
  const records = [{ data: '{"a":1,"b":null}' }, { data: '{"a":2}' }]
  hear('task.settled', settled({ records }))
  assert.deepEqual([lines[0]?.level, lines[0]?.fields.target_domain], ['info', 'a.example:8443'])
  assert.deepEqual([lines[0]?.fields.fields_extracted, lines[0]?.fields.result_completeness], [2, 0.67])
  assert.equal(lines[0]?.fields.duration_ms, 13)
})

test('a task whose row names no URL is logged with the URL of its last request', () => {
  const { hear, lines } = listen()
  const requestedUrl = 'https://b.example/lookup?of=1'
  hear('task.settled', settled({ url: '', requestedUrl }))
  hear('task.settled', settled({ url: '', requestedUrl, state: 'failed', reason: 'fetch.timeout' }))
  assert.deepEqual(
    lines.map(({ fields }) => fields.target_url),
    [requestedUrl, requestedUrl],
  )
  assert.equal(lines[0]?.fields.target_domain, 'b.example')
})

test('a task without records has no completeness', () => {
  const { hear, lines } = listen()
  hear('task.settled', settled())
  assert.equal(lines[0]?.fields.result_completeness, null)
})

test('the span of a failed task has the reason, the attempts, and the proxy without its password', () => {
  const { hear, lines } = listen()
  const failed = { state: 'failed', reason: 'fetch.timeout', message: null, attempt: 3 }
  for (const proxy of ['http://me:secret@p.example:1', 'me:secret@p.example:1', 'http://p.example:1'])
    hear('task.settled', settled({ ...failed, proxy }))
  assert.deepEqual(
    lines.map(({ fields }) => fields.proxy_used),
    ['http://p.example:1', 'p.example:1', 'http://p.example:1'],
  )
  const { error_code, error_reason, retry_attempts } = lines[0]!.fields
  assert.deepEqual([error_code, error_reason, retry_attempts], ['fetch.timeout', 'fetch.timeout', 2])
})

test('above 200 lines per second tasks are only counted, and the count is logged; lines about failures have their own limit', () => {
  const { clock, hear, lines } = listen()
  for (let n = 0; n < 250; n++) hear('task.settled', settled({ n }))
  assert.equal(lines.length, 200)
  hear('task.settled', settled({ state: 'failed' }))
  assert.equal(lines.length, 201)
  clock.advance(1_000)
  hear('task.settled', settled())
  assert.deepEqual(lines[201]?.fields, { lines: 50 })
  assert.equal(lines.length, 203)
})

const tick = () => new Promise(resolve => setImmediate(resolve))

test('the duration of a job is measured from its start', async () => {
  const { hear, ended } = listen({ job: async () => jobOf({ startedAt: 1_000, finishedAt: 4_000 }) })
  hear('job.moved', { jobId: 'job-1', to: 'running', reason: null } as Events['job.moved'])
  hear('job.moved', { jobId: 'job-1', to: 'completed', reason: null } as Events['job.moved'])
  await tick()
  assert.deepEqual(ended, [['completed', 3_000]])
})

test('if another process ended a job, its duration is measured, but the job is not counted', async () => {
  const { hear, ended } = listen({
    ...{ job: async () => jobOf({ startedAt: 1_000, finishedAt: 4_000 }), isHearsay: true },
  })
  hear('job.moved', { jobId: 'job-1', to: 'failed', reason: null } as Events['job.moved'])
  await tick()
  assert.deepEqual(ended, [['hearsay', 3_000]])
})

test('the end of a job that cannot be loaded is logged anyway', async () => {
  const { hear, ended, lines } = listen({ job: () => Promise.reject(new Error('the store is away')) })
  hear('job.moved', { jobId: 'job-1', to: 'completed', reason: null } as Events['job.moved'])
  await tick()
  assert.equal(lines.length, 1)
  assert.deepEqual(ended, [['completed', null]])
})

test('a notice is logged as a warning, with its job if it belongs to one', () => {
  const { hear, lines } = listen()
  hear('notice.given', { jobId: null, message: 'of the process' })
  hear('notice.given', { jobId: 'job-1', message: 'of a job' })
  assert.deepEqual(
    lines.map(({ level, message, fields }) => [level, message, fields.job_id]),
    [
      ['warn', 'of the process', undefined],
      ['warn', 'of a job', 'job-1'],
    ],
  )
})
