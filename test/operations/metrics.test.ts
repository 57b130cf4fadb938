// What is measured, watched by a real Prometheus: every query of every panel and alert is asked of a service that has worked.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { dashboards, grafanaJson } from '../../ci/grafana.ts'
import { metricsPage } from '../../ci/metrics-docs.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { root } from './rendered.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Rule {
  alert?: string
  record?: string
  expr: string
  annotations?: { runbook: string }
}

const rules = (
  parse(text('deploy/prometheus/rules.yaml')) as { groups: Array<{ rules: Rule[] }> }
).groups.flatMap(group => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)

test('promtool finds the rules in order, and its tests of them pass', () => {
  const promtool = (...words: string[]) =>
    execFileSync('promtool', words, { cwd: root, stdio: 'pipe' }).toString()
  assert.match(promtool('check', 'rules', 'deploy/prometheus/rules.yaml'), /SUCCESS/)
  assert.match(promtool('check', 'config', 'deploy/prometheus/prometheus.yaml'), /SUCCESS/)
  assert.match(promtool('test', 'rules', 'deploy/prometheus/rules.test.yaml'), /SUCCESS/)
})

test('every alert is tested, and has a runbook with the parts that one needs', () => {
  const tests = text('deploy/prometheus/rules.test.yaml')
  for (const { alert, annotations } of alerts) {
    assert.match(
      tests,
      new RegExp(`alertname: ${alert}\\n\\s+exp_alerts:\\n`),
      `${alert} never fires in a test`,
    )
    const page = text(annotations!.runbook)
    for (const part of [`\`${alert}\``, '## Look', '## Do', '## Done when'])
      assert.ok(page.includes(part), alert)
  }
  const pages = readdirSync(join(root, 'docs/runbooks')).filter(name => name !== 'README.md')
  assert.equal(pages.length, alerts.length)
})

test('docs/metrics.md and the dashboards are what the code makes of them', async () => {
  assert.equal(text('docs/metrics.md'), await metricsPage(), 'run `npm run docs`')
  for (const dashboard of dashboards)
    assert.equal(
      text(`deploy/grafana/dashboards/${dashboard.uid}.json`),
      grafanaJson(dashboard),
      'run `npm run docs`',
    )
})

describe('a service that has worked, seen by Prometheus', () => {
  let site: TestSite
  let service: TestService
  let prometheus: Prometheus
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
    await service.ended(
      await service.submit({
        urls: [`${site.url}/`, `${site.url}/status/410`],
        policy: { host: { rate: 'unlimited' } },
      }),
    )
    prometheus = await Prometheus.start(service.url)
    await eventually('a scrape', async () => (await prometheus.ask('kscrape_tasks_total')).length > 0)
  })
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
    await site?.close()
  })

  const queries = [
    ...dashboards.flatMap(({ title, panels }) =>
      panels.map(panel => [`${title}, ${panel.title}`, panel.query] as const),
    ),
    ...rules.map(({ alert, record, expr }) => [alert ?? record!, expr] as const),
  ]

  test('every query of a panel or an alert is one that Prometheus takes', async () => {
    for (const [, query] of queries) await prometheus.ask(query)
  })

  test('every metric that a query names is one that is told', async () => {
    const { text: told } = await service.ask('/metrics')
    const known = new Set([...told.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!))
    // Told by the roles of a cluster alone.
    known.add('kscrape_backlog')
    for (const [where, query] of queries)
      for (const [name] of query.matchAll(/\bkscrape_\w+/g))
        assert.ok(
          known.has(name.replace(/_(bucket|sum|count)$/, '')) || known.has(name),
          `${where} asks for ${name}`,
        )
  })

  test('the figures are those of what was done', async () => {
    const value = async (query: string) => Number((await prometheus.ask(query))[0]?.value[1])
    assert.equal(await value('sum(kscrape_tasks_total)'), 2)
    assert.equal(await value('sum(kscrape_requests_total{way="http",outcome="ok"})'), 1)
    assert.equal(await value('sum(kscrape_requests_total{way="http",outcome!="ok"})'), 1)
    assert.equal(await value(`kscrape_host_requests{host="${site.host}:${site.port}"}`), 2)
    assert.equal(await value('sum(kscrape_jobs_total)'), 1)
    assert.ok((await value('sum(kscrape_response_bytes_total)')) > 0)
    assert.ok((await value('kscrape_commit_tasks_sum')) >= 2)
    assert.ok((await value('kscrape_disk_free_bytes')) > 0)
    assert.equal(site.requestsTo('/robots.txt').length, 1)
    assert.equal(await value('kscrape_robots_read_total'), 1)
  })
})

interface Sample {
  metric: Record<string, string>
  value: [at: number, value: string]
}

/** Debian's, in a folder of its own, looking at one service every second. */
class Prometheus implements AsyncDisposable {
  readonly #url: string
  readonly #stop: () => Promise<void>

  private constructor(url: string, stop: () => Promise<void>) {
    this.#url = url
    this.#stop = stop
  }

  static async start(target: string): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'kscrape-prometheus-'))
    const port = await freePort()
    const config = {
      global: { scrape_interval: '1s' },
      scrape_configs: [
        {
          job_name: 'kscrape',
          authorization: { credentials: operatorKey },
          static_configs: [{ targets: [new URL(target).host] }],
        },
      ],
    }
    await writeFile(join(folder, 'prometheus.yaml'), stringify(config))
    const child = spawn(
      'prometheus',
      ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
      { cwd: folder, stdio: 'ignore' },
    )
    const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
    const stop = async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    }
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, stop)
    await eventually('Prometheus', () =>
      fetch(`${prometheus.#url}/-/ready`).then(
        answer => answer.ok,
        () => false,
      ),
    )
    return prometheus
  }

  async ask(query: string): Promise<Sample[]> {
    const answer = await fetch(`${this.#url}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query }),
    })
    const body = (await answer.json()) as { status: string; error?: string; data?: { result: Sample[] } }
    assert.equal(body.status, 'success', `${query}: ${body.error}`)
    return body.data!.result
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop()
  }
}

const freePort = (): Promise<number> =>
  new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
