// Tests traces with a collector that the test starts: one trace leads from the API call to the webhook, over all processes.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { Client } from '../../src/client.ts'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { type RoleProcess, TestCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { OtlpCollector } from '../support/otlp-collector.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'
import { Workplace } from '../system/run-cli.ts'
import { Prometheus } from './prometheus.ts'

const callersTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callersSpan = '00f067aa0ba902b7'
const quick = { host: { rate: 'unlimited' as const } }
const place = ({ host, port }: { host: string; port: number }) => `${host}:${port}`

describe('a service in one process', () => {
  let site: TestSite
  let live: DemoSite
  let collector: OtlpCollector
  let receiver: WebhookReceiver
  let service: TestService
  before(async () => {
    ;[site, live, collector, receiver] = await Promise.all([
      startTestSite(),
      startDemoSite({ products: 20, crawlDelaySeconds: 0 }),
      OtlpCollector.open(),
      WebhookReceiver.open(),
    ])
    service = await TestService.open({
      settings: {
        allowPrivate: [place(site), place(live), receiver.place],
        otlpEndpoint: collector.url,
        otlpHeaders: 'x-tenant=team%20one',
        traceTasks: 3,
      },
      logLevel: 'info',
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await collector?.[Symbol.asyncDispose]()
    await live?.close()
    await site?.close()
  })

  const all = [
    'POST /jobs',
    'job',
    'ingest',
    'task',
    'release',
    'fetch',
    'extract',
    'commit',
    'finish',
    'webhook',
  ]

  test('one trace leads from the API call to the webhook, with each span below its parent', async () => {
    const job = await service.submit(
      { urls: [`${site.url}/`, `${site.url}/status/410`], policy: quick, webhook_url: receiver.url },
      { headers: { traceparent: `00-${callersTrace}-${callersSpan}-01` } },
    )
    await service.ended(job)
    const trace = await collector.traceOf(job, all)
    assert.equal(trace.id, callersTrace)
    assert.equal((await service.ask(`/jobs/${job}`)).body.trace_id, callersTrace)
    assert.deepEqual(trace.roots, ['POST /jobs'])
    assert.equal(trace.named('POST /jobs')[0]?.parentSpanId, callersSpan)
    assert.equal(trace.pathTo('ingest'), 'POST /jobs > job > ingest')
    for (const stage of ['release', 'fetch', 'extract', 'commit'])
      assert.equal(trace.pathTo(stage), `POST /jobs > job > task > ${stage}`)
    assert.equal(trace.pathTo('finish'), 'POST /jobs > job > finish')
    assert.equal(trace.pathTo('webhook'), 'POST /jobs > job > webhook')
    for (const { name, startMs, endMs } of trace.spans) assert.ok(endMs >= startMs, name)
  })

  test('only failed spans have an error status, with the reason of the failure', async () => {
    const job = await service.submit({ urls: [`${site.url}/`, `${site.url}/status/410`], policy: quick })
    await service.ended(job)
    const trace = await collector.traceOf(job, ['finish'])
    const wrong = trace.spans.filter(({ error }) => error !== undefined)
    assert.deepEqual(wrong.map(({ name }) => name).sort(), ['fetch', 'task'])
    for (const { attributes } of wrong) assert.equal(attributes['error.type'], 'http.not-found')
    const [good] = trace.named('fetch').filter(({ error }) => error === undefined)
    assert.equal(good?.attributes['http.response.status_code'], 200)
    assert.equal(good?.attributes['url.full'], `${site.url}/`)
  })

  test('a page that needs a browser is first fetched and then rendered, in one trace', async () => {
    const job = await service.submit({
      urls: [`${live.url}/almanac/live/10`],
      render: 'auto',
      policy: quick,
    })
    await service.ended(job)
    const trace = await collector.traceOf(job, ['fetch', 'render', 'finish'])
    assert.equal(trace.pathTo('render'), 'POST /jobs > job > task > render')
    assert.equal(trace.named('task').length, 2)
  })

  test('the webhook carries its trace to the receiver', async () => {
    const job = await service.submit({ urls: [`${site.url}/`], policy: quick, webhook_url: receiver.url })
    await service.ended(job)
    const trace = await collector.traceOf(job, ['webhook'])
    const sent = receiver.received.find(({ body }) => body.includes(job))
    const { spanId } = trace.named('webhook')[0]!
    assert.equal(sent?.headers.traceparent, `00-${trace.id}-${spanId}-01`)
  })

  test('requests to crawled sites have no trace headers', () => {
    for (const { headers } of site.requests) assert.equal(headers.traceparent, undefined)
  })

  test('every log line of a job names its trace', async () => {
    const job = await service.submit({ urls: [`${site.url}/`, `${site.url}/status/410`], policy: quick })
    await service.ended(job)
    const trace = await collector.traceOf(job, ['finish'])
    const lines = service.logged.filter(({ job_id }) => job_id === job)
    const messages = lines.map(({ message }) => message)
    for (const message of [
      'a job was accepted',
      'a task is done',
      'a task failed',
      'a job is partially_completed',
    ])
      assert.ok(messages.includes(message), `${message} among ${messages.join(', ')}`)
    for (const { message, trace_id, span_id } of lines) {
      assert.equal(trace_id, trace.id, String(message))
      assert.match(String(span_id), /^[0-9a-f]{16}$/)
    }
    const done = lines.find(({ message }) => message === 'a task is done')
    assert.ok(trace.named('task').some(({ spanId }) => spanId === done?.span_id))
    const answered = service.logged.find(
      ({ message, trace_id }) => message === 'answered' && trace_id === trace.id,
    )
    assert.equal(answered?.component, 'api')
  })

  test('the trace of a long job has a limited number of tasks', async () => {
    const urls = Array.from({ length: 12 }, (_, index) => `${site.url}/?page=${index}`)
    const job = await service.submit({ urls, policy: quick })
    await service.ended(job)
    const trace = await collector.traceOf(job, ['finish'])
    assert.equal(trace.named('task').length, 3)
    assert.equal(trace.named('fetch').length, 3)
  })

  test('if the caller does not sample its trace, kscrape exports no spans, and the job keeps the trace id', async () => {
    const unrecorded = '5'.repeat(32)
    const headers = { traceparent: `00-${unrecorded}-${callersSpan}-00` }
    const job = await service.submit({ urls: [`${site.url}/`], policy: quick }, { headers })
    await service.ended(job)
    const next = await service.submit({ urls: [`${site.url}/`], policy: quick })
    await service.ended(next)
    await collector.traceOf(next, ['finish'])
    assert.ok(collector.spans.every(({ traceId }) => traceId !== unrecorded))
    const lines = service.logged.filter(({ job_id }) => job_id === job)
    assert.ok(lines.length > 0 && lines.every(({ trace_id }) => trace_id === unrecorded))
  })

  const isCollected = ({ trace_id, span_id }: Record<string, string>): boolean =>
    collector.spans.some(span => span.traceId === trace_id && span.spanId === span_id)

  test('a real Prometheus stores exemplars with the traces of responses and pages', async () => {
    await using prometheus = await Prometheus.start([{ role: 'serve', url: service.url, key: operatorKey }])
    for (const metric of ['request', 'task', 'commit', 'http_answer']) {
      const leadToSpans = async () => {
        const found = await prometheus.exemplarsOf(`kscrape_${metric}_duration_seconds_bucket`)
        return found.length > 0 && found.every(isCollected)
      }
      await eventually(`exemplars of ${metric} that lead to spans`, leadToSpans)
    }
  })

  test('the collector receives the resource attributes and the configured headers', () => {
    const [{ resource } = assert.fail('no spans')] = collector.spans
    assert.equal(resource['service.name'], 'kscrape')
    assert.match(String(resource['service.instance.id']), /-\d+$/)
    for (const { path, headers } of collector.requests) {
      assert.equal(path, '/v1/traces')
      assert.equal(headers['x-tenant'], 'team one')
    }
  })
})

describe('a cluster of several processes', () => {
  let site: TestSite
  let collector: OtlpCollector
  let receiver: WebhookReceiver
  let cluster: TestCluster
  let api: string
  let roles: RoleProcess[]
  before(async () => {
    ;[site, collector, receiver] = await Promise.all([
      startTestSite(),
      OtlpCollector.open(),
      WebhookReceiver.open(),
    ])
    cluster = await TestCluster.open({
      SCRAPER_ALLOW_PRIVATE: `${place(site)},${receiver.place}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      SCRAPER_LOG_LEVEL: 'info',
    })
    roles = await Promise.all([
      cluster.start(['api'], {}, ['--port', '0']),
      cluster.start(['coordinator', 'ingest'], { OTEL_SERVICE_NAME: 'kscrape-coordinator' }),
      cluster.start(['http-worker'], { OTEL_SERVICE_NAME: 'kscrape-http-worker' }),
      cluster.start(['processor'], { OTEL_SERVICE_NAME: 'kscrape-processor' }),
    ])
    api = /"url":"([^"]+)"/.exec(roles[0]!.output())![1]!
  })
  after(async () => {
    await cluster?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await collector?.[Symbol.asyncDispose]()
    await site?.close()
  })

  const linesOf = (role: RoleProcess, jobId: string): Array<Record<string, unknown>> =>
    role
      .output()
      .split('\n')
      .filter(line => line.startsWith('{') && line.includes(`"job_id":"${jobId}"`))
      .map(line => JSON.parse(line) as Record<string, unknown>)

  test('the trace of a job includes all processes, and each process exports its own spans', async () => {
    const urls = [1, 2, 3].map(page => `${site.url}/?page=${page}`)
    const client = new Client({ server: api, apiKey: cluster.env.SCRAPER_API_KEY! })
    const { uploadId } = await client.uploads.send(urls.join('\n'), { fileName: 'pages.txt' })
    const { jobId: job_id } = await client.jobs.create({ uploadId, policy: quick, webhookUrl: receiver.url })
    await cluster.ended(job_id)
    const stages = ['release', 'fetch', 'extract', 'commit']
    await collector.traceOf(job_id, ['task', ...stages], urls.length)
    const trace = await collector.traceOf(job_id, ['POST /jobs', 'job', 'finish', 'webhook'])
    assert.deepEqual(trace.roots, ['POST /jobs'])
    for (const stage of stages) {
      assert.equal(trace.pathTo(stage), `POST /jobs > job > task > ${stage}`)
      assert.equal(trace.named(stage).length, 3)
    }
    const by = (name: string) => trace.named(name)[0]!.resource['service.name']
    assert.deepEqual(
      ['POST /jobs', 'job', 'release', 'fetch', 'extract', 'commit', 'task', 'finish', 'webhook'].map(by),
      [
        ...['kscrape', 'kscrape', 'kscrape-coordinator', 'kscrape-http-worker', 'kscrape-processor'],
        ...['kscrape-processor', 'kscrape-processor', 'kscrape-coordinator', 'kscrape-coordinator'],
      ],
    )
    const [file] = trace.named('ingest').filter(({ attributes }) => attributes['kscrape.rows'] === 3)
    assert.equal(file?.resource['service.name'], 'kscrape-coordinator')
    for (const role of roles)
      for (const line of linesOf(role, job_id)) assert.equal(line.trace_id, trace.id, JSON.stringify(line))
    const done = linesOf(roles.at(-1)!, job_id).filter(({ message }) => message === 'a task is done')
    assert.equal(done.length, 3)
  })
})

describe('from the command line', () => {
  /** Logs every OpenTelemetry module that is loaded, in any thread. */
  const spy = `
    import { appendFileSync } from 'node:fs'
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (name.startsWith('@opentelemetry/')) appendFileSync(process.env.SPY_FILE, name + '\\n')
      return next(name, context)
    } })`

  async function crawl(workplace: Workplace, env: Record<string, string>) {
    await using site = await startDemoSite({ products: 3, crawlDelaySeconds: 0 })
    await writeFile(workplace.file('spy.mjs'), spy)
    await writeFile(workplace.file('loaded'), '')
    const flags = ['--allow-private', place(site), '--rate', 'unlimited', '--max-pages', '3', '--job', 'one']
    const ended = await workplace.run(['crawl', site.url, ...flags, '-o', 'out.jsonl'], {
      env: { NODE_OPTIONS: '--import ./spy.mjs', SPY_FILE: workplace.file('loaded'), ...env },
    })
    return { ...ended, loaded: await readFile(workplace.file('loaded'), 'utf8') }
  }

  test('if a collector is configured, a run of the command line is traced, and its spans are exported before the command ends', async () => {
    await using collector = await OtlpCollector.open()
    await using workplace = await Workplace.open({ warm: false })
    const { code, stderr, loaded } = await crawl(workplace, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    })
    assert.equal(code, 0, stderr)
    assert.match(loaded, /@opentelemetry\/sdk-trace/)
    const trace = await collector.traceOf('one', ['job', 'finish', 'task', 'fetch', 'extract', 'commit'])
    assert.deepEqual(trace.roots, ['job'])
    assert.equal(trace.pathTo('extract'), 'job > task > extract')
  })

  test('with a sampling ratio of zero, no span is sent', async () => {
    await using collector = await OtlpCollector.open()
    await using workplace = await Workplace.open({ warm: false })
    const { code, stderr } = await crawl(workplace, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    assert.equal(code, 0, stderr)
    assert.equal(collector.requests.length, 0)
  })

  test('without configuration, no part of OpenTelemetry is loaded', async () => {
    await using workplace = await Workplace.open({ warm: false })
    const { code, stderr, loaded } = await crawl(workplace, {})
    assert.equal(code, 0, stderr)
    assert.equal(loaded, '')
  })

  test('a collector that is down affects no job', async () => {
    await using workplace = await Workplace.open({ warm: false })
    const { code, stderr } = await crawl(workplace, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    assert.equal(code, 0, stderr)
    assert.equal((await workplace.records('out.jsonl')).length, 3)
    assert.match(stderr, /http:\/\/127\.0\.0\.1:9 does not accept traces, so they are dropped/)
  })
})
