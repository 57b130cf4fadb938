// Tests metrics and what uses them: alert rules, runbooks, dashboards, and values that agree with the work.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { dashboards, grafanaJson } from '../../ci/grafana.ts'
import { metricsPage } from '../../ci/metrics-docs.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { Prometheus } from './prometheus.ts'
import { rules } from './queries.ts'
import { root } from './rendered.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

const alerts = rules.filter(({ alert }) => alert !== undefined)

test('promtool accepts the alert rules, and the promtool tests of these rules pass', () => {
  const promtool = (...words: string[]) =>
    execFileSync('promtool', words, { cwd: root, stdio: 'pipe' }).toString()
  assert.match(promtool('check', 'rules', 'deploy/prometheus/rules.yaml'), /SUCCESS/)
  assert.match(promtool('check', 'config', 'deploy/prometheus/prometheus.yaml'), /SUCCESS/)
  assert.match(promtool('test', 'rules', 'deploy/prometheus/rules.test.yaml'), /SUCCESS/)
})

test('every alert is tested, and has a runbook with the required sections', () => {
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

test('docs/metrics.md and the dashboards match the code', async () => {
  assert.equal(text('docs/metrics.md'), await metricsPage(), 'run `npm run docs`')
  for (const dashboard of dashboards)
    assert.equal(
      text(`deploy/grafana/dashboards/${dashboard.uid}.json`),
      grafanaJson(dashboard),
      'run `npm run docs`',
    )
})

describe('a service after some work, scraped by Prometheus', () => {
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
    prometheus = await Prometheus.start([{ role: 'serve', url: service.url, key: operatorKey }])
  })
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
    await site?.close()
  })

  test('the values of the metrics agree with the work that the service did', async () => {
    const value = (query: string) => prometheus.figure(query)
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
