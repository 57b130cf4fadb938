// A key that may only read asks every route for the secrets of jobs, schedules and monitors, and searches for them letter by letter.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { longLabels } from '../../src/lib/text/long-labels.ts'
import { ignoreRules } from '../../src/model/monitor.ts'
import { monitorLabel } from '../../src/model/own-labels.ts'
import { found } from '../support/eventually.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const never = '0 0 1 1 *'
const mark = 'geheim-4711'

let site: ListeningSite
let service: TestService
let writer: string
let reader: string
before(async () => {
  site = await ListeningSite.open({ '/': html('<p>hello</p>') })
  const settings = { allowPrivate: [site.place], rate: 'unlimited' } as const
  service = await TestService.open({ settings })
  writer = await service.key({ workspace: 'alpha', scopes: ['read', 'submit', 'credentials', 'proxies'] })
  reader = await service.key({ workspace: 'alpha', scopes: ['read'] })
  for (const [path, body] of plantings()) {
    const { status, text } = await service.ask(path, { key: writer, body })
    assert.ok(status < 300, `${path} ${text}`)
  }
  for (const id of ['with-slack', await theirMonitor()])
    await service.ask(`/monitors/${id}/run`, { key: writer, method: 'POST' })
  await found('a webhook to Slack', async () => (await listed('/webhooks', 'webhooks'))[0])
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

/** Requests that store secrets. Each secret is the mark and a suffix of its own. */
function plantings(): Array<[path: string, body: object]> {
  const url = `${site.url}/`
  const headers = { 'X-Api-Key': `${mark}-header`, Cookie: `login=${mark}-cookie` }
  const job = { urls: [url], headers }
  const proxy = { urls: [`http://ada:${mark}-proxy@${site.place}`] }
  return [
    ['/jobs', { ...job, job_id: 'own-job', labels: { team: 'prices' } }],
    [
      '/schedules',
      {
        ...{ schedule_id: 'own-schedule', name: 'own', cron: never, time_zone: 'UTC' },
        job: { ...job, policy: { proxy } },
      },
    ],
    [
      '/monitors',
      {
        ...{ monitor_id: 'with-slack', cron: never, job, notify: 'always' },
        slack_url: `${site.url}/services/${mark}-slack`,
      },
    ],
    [
      '/v2/monitor',
      {
        ...{ name: 'theirs', schedule: { cron: never } },
        targets: [{ type: 'scrape', urls: [url], scrapeOptions: { headers } }],
      },
    ],
    [
      '/v2/batch/scrape',
      {
        ...{ urls: [url], headers, actions: [{ type: 'write', text: `${mark}-typed` }] },
        webhook: { url, headers: { Authorization: `${mark}-webhook` } },
      },
    ],
  ]
}

const listed = async (path: string, list: string, key = reader): Promise<Array<Record<string, string>>> =>
  (await service.ask<Record<string, Array<Record<string, string>>>>(path, { key })).body[list]!

const theirMonitor = async (): Promise<string> =>
  (await listed('/v2/monitor', 'data')).find(({ name }) => name === 'theirs')!.id!

interface OpenApi {
  paths: Record<string, Record<string, unknown>>
}

/** Streams answer until they are closed, and have their own tests. */
const isStream = (path: string): boolean => /\/events$|\/mcp$|\/metrics/.test(path)

/** The GET routes of the service and of its other APIs, with the ids of everything that the workspace has. */
async function readablePaths(): Promise<string[]> {
  const { paths } = (await service.ask<OpenApi>('/openapi.json')).body
  const jobs = (await listed('/jobs', 'jobs')).map(job => job.job_id!)
  const monitors = (await listed('/monitors', 'monitors')).map(one => one.monitor_id!)
  const schedules = (await listed('/schedules', 'schedules')).map(one => one.schedule_id!)
  const webhooks = (await listed('/webhooks', 'webhooks')).map(one => one.webhook_id!)
  const ids: Record<string, string[]> = {
    ...{ job_id: jobs, id: jobs, monitor_id: monitors, schedule_id: schedules, webhook_id: webhooks },
    ...{ item_id: ['1'], part: ['1'] },
  }
  const templates = Object.entries(paths).flatMap(([path, routes]) => ('get' in routes ? [path] : []))
  const known = templates.filter(path => !isStream(path)).flatMap(path => filled(path, ids))
  const theirs = ['/v2/monitor', ...monitors.flatMap(id => [`/v2/monitor/${id}`, `/v2/monitor/${id}/checks`])]
  const others = jobs.flatMap(id => [`/v2/batch/scrape/${id}`, `/v2/crawl/${id}`])
  return [...known, ...theirs, ...others]
}

function filled(path: string, ids: Record<string, string[]>): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  return (ids[name] ?? []).flatMap(id => filled(path.replace(`{${name}}`, encodeURIComponent(id)), ids))
}

test('no response to a key that may only read contains a secret', async () => {
  const paths = await readablePaths()
  assert.ok(paths.length > 100, `${paths.length} paths`)
  for (const path of paths) {
    const { status, text } = await service.ask(path, { key: reader })
    assert.ok(status < 500, `${path} ${status}`)
    assert.ok(!text.includes(mark), `${path} ${text}`)
  }
})

test('the secrets of a monitor are hidden even from the key that set them, except the URL of Slack', async () => {
  for (const path of ['/v2/monitor', '/monitors', '/schedules', '/jobs'])
    assert.doesNotMatch(
      (await service.ask(path, { key: writer })).text.replaceAll(`${mark}-slack`, ''),
      /geheim/,
    )
})

const apiKeys = (): unknown[] =>
  site.heard.filter(({ path }) => path === '/').map(({ headers }) => headers['x-api-key'])

test('a change of a monitor keeps the headers of its job, and a body with the placeholder of a hidden value is refused', async () => {
  const id = await theirMonitor()
  const change = (body: object) => service.ask(`/v2/monitor/${id}`, { key: writer, method: 'PATCH', body })
  assert.equal((await change({ retentionDays: 7 })).status, 200)
  const before = apiKeys().length
  await service.ask(`/monitors/${id}/run`, { key: writer, method: 'POST' })
  const sent = await found('the request of the run', async () => apiKeys()[before])
  assert.equal(sent, `${mark}-header`)
  const [{ targets } = { targets: [] }] = await listed('/v2/monitor', 'data', writer)
  const refused = await change({ targets })
  assert.deepEqual([refused.status, refused.text.includes('REDACTED')], [400, true], refused.text)
})

/** Beginnings of texts that are in stored settings: secrets, and the fields around them. */
const guesses = ['geheim', `${mark}-s`, '/services/g', 'slackurl', 'scrapeoptions', 'x-api-key', 'notify']

test('a search of the job list finds none of the stored settings', async () => {
  const all = await listed('/jobs', 'jobs')
  assert.ok(all.length >= 4)
  for (const guess of guesses)
    assert.deepEqual(await listed(`/jobs?text=${encodeURIComponent(guess)}`, 'jobs'), [], guess)
  assert.equal((await listed('/jobs?text=prices', 'jobs')).length, 1)
})

test('a label filter does not confirm a guess of stored settings', async () => {
  const ignore = ignoreRules.parse({})
  const settings = { ignore, notify: 'always', slackUrl: `${site.url}/services/${mark}-slack` }
  for (const [name, value] of Object.entries(longLabels(monitorLabel, settings))) {
    const label = encodeURIComponent(`${name}:${value}`)
    assert.deepEqual(await listed(`/jobs?label=${label}`, 'jobs'), [], name)
  }
  assert.equal((await listed('/jobs?label=team:prices', 'jobs')).length, 1)
})

test('headers of jobs, schedules and monitors of every API are sealed in the data directory', async () => {
  await service.close()
  for (const entry of await readdir(service.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const content = await readFile(join(entry.parentPath, entry.name))
    for (const end of ['header', 'cookie', 'webhook', 'proxy'])
      assert.ok(!content.includes(`${mark}-${end}`), `${entry.name} ${end}`)
  }
})
