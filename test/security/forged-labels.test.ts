// A caller forges the labels in which kscrape stores settings, so that its job looks like a job of another API. With this job, the
// caller tries to control a job of another workspace that has the same id.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { longLabels } from '../../src/lib/text/long-labels.ts'
import { ignoreRules } from '../../src/model/monitor.ts'
import { firecrawlMonitorLabel, monitorLabel, requestLabel } from '../../src/model/own-labels.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const never = '0 0 1 1 *'

let site: ListeningSite
let service: TestService
let alpha: string
before(async () => {
  site = await ListeningSite.open({ '/': html('one'), '/2': html('two') })
  service = await TestService.open({ settings: { allowPrivate: [site.place], rate: 0.001 } })
  alpha = await service.key({ workspace: 'alpha', scopes: ['read', 'submit'] })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const urls = () => [`${site.url}/`, `${site.url}/2`]

const forgedRequest = () =>
  longLabels(requestLabel, {
    ...{ kind: 'crawl', version: 2, url: urls()[0], webhook: null },
    wanted: { formats: ['markdown'], warnings: [] },
  })
const forgedTerms = () =>
  longLabels(monitorLabel, {
    ...{ ignore: ignoreRules.parse({}), notify: 'always' },
    slackUrl: `${site.url}/services/forged`,
  })

test('no API accepts labels in which kscrape stores settings', async () => {
  const forged: Array<Record<string, string>> = [
    forgedRequest(),
    forgedTerms(),
    { [firecrawlMonitorLabel]: '{}' },
    { [`${requestLabel}.1`]: '{}' },
  ]
  for (const labels of forged) {
    const job = { urls: urls(), labels }
    const schedule = { name: 'x', cron: never, time_zone: 'UTC' }
    const own = { ...schedule, schedule_id: 'own', job: { urls: urls() } }
    const [name] = Object.keys(labels)
    const bodies: Array<[path: string, body: object, field: string, method?: string]> = [
      ['/jobs', job, `labels.${name}`],
      ['/schedules', { ...schedule, job }, `job.labels.${name}`],
      ['/schedules/own', { job }, `job.labels.${name}`, 'PATCH'],
      ['/monitors', { cron: never, job }, `job.labels.${name}`],
    ]
    await service.ask('/schedules', { key: alpha, body: own })
    for (const [path, body, field, method = 'POST'] of bodies) {
      const answer = await service.ask<{ error?: { field: string } }>(path, { key: alpha, method, body })
      assert.deepEqual([answer.status, answer.body.error?.field], [422, field], `${path} ${answer.text}`)
    }
  }
  const { body } = await service.ask<{ monitors: unknown[] }>('/monitors', { key: alpha })
  assert.deepEqual(body.monitors, [])
})

test('a caller whose job looks like a Firecrawl crawl cannot cancel a job of another workspace that has the same id', async () => {
  const job_id = 'same-id'
  await service.submit({ job_id, urls: urls() })
  const labels = forgedRequest()
  await service.ask('/jobs', { key: alpha, body: { job_id, urls: urls(), labels } })
  for (const path of ['/v2/crawl', '/v1/crawl', '/v2/batch/scrape']) {
    const { status, text } = await service.ask(`${path}/${job_id}`, { key: alpha, method: 'DELETE' })
    assert.equal(status, 404, text)
  }
  const { body } = await service.ask(`/jobs/${job_id}`)
  assert.match(String(body.status), /pending|running/)
})

test('the Firecrawl API does not show jobs that other APIs created', async () => {
  const jobId = await service.submit({ urls: urls() }, { key: alpha })
  for (const path of ['/v2/crawl', '/v2/batch/scrape', '/v2/extract', '/v2/agent', '/v2/scrape'])
    assert.equal((await service.ask(`${path}/${jobId}`, { key: alpha })).status, 404, path)
})
