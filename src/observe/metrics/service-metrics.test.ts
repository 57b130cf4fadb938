// Tests which process counts and exports which metrics, and which ones remain while the store is down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Dispatcher } from '../../dispatch/dispatcher.ts'
import { HostTable } from '../../dispatch/host-table.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Events } from '../../model/events.ts'
import { hostPolicy } from '../../model/policy/policy.ts'
import { type MetricsOptions, ServiceMetrics } from './service-metrics.ts'
import { storedMetrics } from './stored-metrics.ts'

const live = async () => ({ queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0 })
const event: Events['task.settled'] = {
  ...{ jobId: 'job', n: 1, url: 'https://example.com/', state: 'succeeded', reason: 'ok', message: null },
  ...{ durationMs: 100, attempt: 1, proxy: null, records: [] },
}

test('in the Prometheus metrics, only the process that committed a task counts it', async () => {
  const own = new ServiceMetrics(live)
  const other = new ServiceMetrics(live)
  own.hear('task.settled', event)
  other.heard(event)
  assert.match((await own.text()).body, /kscrape_tasks_total\{state="succeeded"\} 1/)
  assert.doesNotMatch((await other.text()).body, /kscrape_tasks_total\{state="succeeded"\}/)
})

test('the JSON metrics count every ended task that the process committed or learned of', async () => {
  const other = new ServiceMetrics(live)
  other.heard(event)
  assert.equal((await other.json()).tasksCompleted, 1)
})

test('each role exports its own metrics, and a process with several roles exports each metric once', async () => {
  const names = async (...by: NonNullable<MetricsOptions['by']>) =>
    (await new ServiceMetrics(live, { by }).described()).map(({ name }) => name)
  const [ofApi, ofWorker, ofBoth] = [
    await names('api'),
    await names('http-worker'),
    await names('api', 'http-worker'),
  ]
  assert.ok(!ofApi.includes('kscrape_request_duration_seconds'))
  assert.ok(!ofWorker.includes('kscrape_http_answers_total'))
  assert.deepEqual(ofBoth.toSorted(), [...new Set([...ofApi, ...ofWorker])].toSorted())
})

test('a process exports the counters of its roles', async () => {
  const whole = new ServiceMetrics(live, { by: ['api', 'coordinator'] })
  const part = new ServiceMetrics(live, { within: whole })
  part.answered({ method: 'GET', route: '/jobs', status: 200, durationMs: 5 })
  part.hear('webhook.tried', { outcome: 'delivered' })
  const { body } = await whole.text()
  assert.match(body, /kscrape_http_answers_total\{method="GET",route="\/jobs",status="200"\} 1/)
  assert.match(body, /kscrape_webhook_deliveries_total\{outcome="delivered"\} 1/)
  assert.equal((await part.text()).body.includes('kscrape_http_answers_total{'), true)
})

test('while the store is down, a process exports its own metrics, but no metrics from the store', async () => {
  const failing = () => Promise.reject(new Error('no connection'))
  const stored = () => storedMetrics({ jobs: { load: failing }, tasks: { nextWake: failing } } as never)
  const away = new ServiceMetrics(async () => ({ ...(await stored()), inFlight: 3, backlog: failing }), {
    by: ['coordinator'],
  })
  const { body } = await away.text()
  assert.match(body, /^kscrape_process_resident_memory_bytes \d/m)
  assert.match(body, /^kscrape_tasks_in_flight 3$/m)
  assert.doesNotMatch(body, /^kscrape_(queue_depth|jobs_open|tasks_by_state|next_retry_seconds|backlog)[ {]/m)
})

test('runnable tasks and waiting tasks are exported, waiting tasks by reason; a reason without tasks is 0', async () => {
  const dispatcher = new Dispatcher({ hosts: new HostTable({ policyFor: () => hostPolicy.parse({}) }) })
  const work = { ...dispatcher.workCounts(0), due: 3 }
  work.waiting.hours = 12
  const { body } = await new ServiceMetrics(async () => ({ ...(await live()), work })).text()
  assert.match(body, /^kscrape_tasks_due 3$/m)
  assert.match(body, /^kscrape_tasks_waiting\{reason="hours"\} 12$/m)
  assert.match(body, /^kscrape_tasks_waiting\{reason="breaker"\} 0$/m)
})

test('the time until the next retry is in seconds, and 0 if there is none', async () => {
  const store = (nextWake: number | null) => ({
    jobs: { load: async () => ({ jobs: 1, tasks: 1, byState: {} }) },
    tasks: { nextWake: async () => nextWake },
  })
  const seconds = async (nextWake: number | null) =>
    (await storedMetrics(store(nextWake) as never)).nextRetrySeconds!
  const anHour = await seconds(systemClock.now() + 3_600_000)
  assert.ok(anHour > 3_000 && anHour <= 3_600, String(anHour))
  assert.equal(await seconds(systemClock.now() - 1_000), 0)
  assert.equal(await seconds(null), 0)
})

test('a store that does not answer does not block the metrics', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const silent = new ServiceMetrics(() => new Promise(() => {}), { by: ['coordinator'] })
  const told = silent.text()
  context.mock.timers.tick(3_000)
  assert.match((await told).body, /^kscrape_process_resident_memory_bytes \d/m)
})

test('the series of failed webhooks starts at 0, so that an alert sees the first failure', async () => {
  const metrics = new ServiceMetrics(live)
  const dead = async () =>
    /^kscrape_webhook_deliveries_total\{outcome="dead"\} (\d+)$/m.exec((await metrics.text()).body)?.[1]
  assert.equal(await dead(), '0')
  metrics.hear('webhook.tried', { outcome: 'dead' })
  assert.equal(await dead(), '1')
})

test('breakers and rates are counted by state, and only unusual hosts are named', async () => {
  const hosts = {
    breakers: { closed: 7, open: 1, half_open: 1 },
    ...{ slowed: 1, paused: 2 },
    troubled: [
      { host: 'down.example', breaker: 'open' as const, rateFactor: 1 },
      { host: 'back.example', breaker: 'half_open' as const, rateFactor: 1 },
      { host: 'busy.example', breaker: 'closed' as const, rateFactor: 0.25 },
    ],
  }
  const { body } = await new ServiceMetrics(async () => ({ ...(await live()), hosts })).text()
  const lines = body
    .split('\n')
    .filter(line => /^kscrape_host(s|s_slowed|s_paused|_breaker_open|_rate_factor)[ {]/.test(line))
  assert.deepEqual(lines, [
    'kscrape_hosts{breaker="closed"} 7',
    'kscrape_hosts{breaker="open"} 1',
    'kscrape_hosts{breaker="half_open"} 1',
    'kscrape_hosts_slowed 1',
    'kscrape_hosts_paused 2',
    'kscrape_host_breaker_open{host="down.example"} 1',
    'kscrape_host_breaker_open{host="back.example"} 0.5',
    'kscrape_host_rate_factor{host="busy.example"} 0.25',
  ])
})
