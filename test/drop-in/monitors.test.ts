// Tests monitors on the changing pages of the demo site: they report exactly the changes that were made, and ignore noise.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { snake } from '../../src/model/letter-case.ts'
import { monitorBody } from '../../src/model/monitor.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { awake } from '../support/awake.ts'
import { TestService } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'
import { Workplace } from '../system/run-cli.ts'

interface Page {
  url: string
  status: string
  diff: string | null
  fields: Array<{ field: string; before: unknown; after: unknown }>
  reason: string | null
}

interface ShownCheck {
  job_id: string
  against: string | null
  counts: Record<string, number>
  is_changed: boolean
  pages: Page[]
}

interface Monitor {
  monitor_id: string
  links: { self: string; atom: string; rss: string }
  [field: string]: unknown
}

const advance = (site: TestSite) => fetch(`${site.url}/changing/edition`, { method: 'POST' })
const pathsOf = (pages: Page[], status: string): string[] =>
  pages.filter(page => page.status === status).map(({ url }) => new URL(url).pathname)

describe('a monitor of a service', () => {
  let site: TestSite
  let service: TestService
  let receiver: WebhookReceiver
  before(async () => {
    site = await startTestSite()
    receiver = await WebhookReceiver.open()
    const allowPrivate = [`${site.host}:${site.port}`, receiver.place]
    service = await TestService.open({ settings: { rate: 'unlimited', allowPrivate } })
    await awake(service)
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  async function make(body: Record<string, unknown>): Promise<Monitor> {
    const answer = await service.ask<Monitor>('/monitors', { body: { cron: '0 0 1 1 *', ...body } })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  async function look(monitorId: string): Promise<ShownCheck> {
    const { body, text } = await service.ask<{ job_id: string }>(`/monitors/${monitorId}/run`, {
      method: 'POST',
    })
    assert.ok(body.job_id, text)
    await service.ended(body.job_id)
    const check = await service.ask<ShownCheck>(`/monitors/${monitorId}/checks/${body.job_id}`)
    assert.equal(check.status, 200, check.text)
    return check.body
  }

  const items = ['anchor', 'buoy', 'compass', 'dinghy', 'echo']
  const urls = () => items.map(name => `${site.url}/changing/${name}`)

  test('a monitor of a crawl reports new, same, changed and removed pages, and the response for an unchanged page is a 304', async () => {
    const job = { seed_urls: [`${site.url}/changing/`], depth: 1, sitemap: 'skip', max_pages: 50 }
    const ignore = { noise: ['timestamps', 'ads', 'order', 'whitespace'] }
    const { monitor_id } = await make({ job, ignore, webhook_url: receiver.url, name: 'Chandlery' })

    const first = await look(monitor_id)
    assert.deepEqual([first.against, first.counts.new, first.is_changed], [null, 5, false])
    const second = await look(monitor_id)
    assert.deepEqual(second.counts, { new: 0, same: 5, changed: 0, removed: 0, error: 0 })
    assert.deepEqual(second.pages, [])
    const again = site.requests.filter(({ url, status }) => url.startsWith('/changing/') && status === 304)
    assert.equal(again.length, 4, 'each item once')

    await advance(site)
    const third = await look(monitor_id)
    assert.deepEqual(third.counts, { new: 1, same: 1, changed: 3, removed: 1, error: 0 })
    assert.deepEqual(pathsOf(third.pages, 'new'), ['/changing/echo'])
    assert.deepEqual(pathsOf(third.pages, 'removed'), ['/changing/dinghy'])
    assert.deepEqual(pathsOf(third.pages, 'changed').sort(), [
      '/changing/',
      '/changing/anchor',
      '/changing/compass',
    ])
    const anchor = third.pages.find(({ url }) => url.endsWith('/anchor'))!
    assert.match(anchor.diff!, /^-It costs € 40\.00\.\n\+It costs € 45\.00\.$/m)
    assert.doesNotMatch(anchor.diff!, /[-+].*(Updated|Sponsored)/)
    assert.deepEqual(
      anchor.fields.map(({ field }) => field),
      ['markdown'],
    )

    // The first two checks found no change, so the first webhook is about the third check.
    const [told] = await receiver.has(1)
    const body = JSON.parse(told!.body) as ShownCheck & { type: string; monitor_id: string }
    assert.deepEqual([body.type, body.monitor_id, body.counts], ['monitor.changed', monitor_id, third.counts])
    assert.equal(receiver.received.length, 1)
  })

  test('a monitor with rules compares the fields of the rules, except the fields that it must ignore', async () => {
    const extract = { fields: { name: 'h1', price: { css: '.price', as: 'money' }, stamp: '.stamp' } }
    const { monitor_id } = await make({ job: { urls: urls(), extract }, ignore: { fields: ['stamp'] } })
    await look(monitor_id)
    await advance(site)
    const check = await look(monitor_id)
    assert.deepEqual(pathsOf(check.pages, 'changed'), ['/changing/anchor'])
    const [anchor] = check.pages.filter(({ status }) => status === 'changed')
    assert.deepEqual(
      anchor!.fields.map(({ field }) => field),
      ['price'],
    )
    assert.deepEqual(
      [pathsOf(check.pages, 'new'), pathsOf(check.pages, 'removed')],
      [['/changing/dinghy'], ['/changing/echo']],
    )
  })

  test('a page that was unreachable for a while counts neither as removed nor as new', async () => {
    const { monitor_id } = await make({
      job: { urls: [`${site.url}/changing/buoy`], policy: { retries: { attempts: 0 } } },
    })
    await look(monitor_id)
    site.fail('/changing/buoy', 1, 500)
    const ill = await look(monitor_id)
    assert.deepEqual([ill.counts.error, ill.counts.removed, ill.is_changed], [1, 0, false])
    const well = await look(monitor_id)
    assert.deepEqual(well.counts, { new: 0, same: 1, changed: 0, removed: 0, error: 0 })
  })

  test('the checks of a monitor are listed, and its feeds can be read by anyone who has their URL', async () => {
    const { body } = await service.ask<{ monitors: Monitor[] }>('/monitors')
    const monitor = body.monitors.find(({ name }) => name === 'Chandlery')!
    const { body: list } = await service.ask<{ checks: ShownCheck[] }>(
      `/monitors/${monitor.monitor_id}/checks`,
    )
    assert.deepEqual(
      list.checks.map(({ is_changed }) => is_changed),
      [true, false, false],
    )
    const atom = await service.ask(monitor.links.atom.slice(service.url.length), { key: null })
    assert.match(atom.headers.get('content-type')!, /application\/atom\+xml/)
    assert.equal(atom.text.match(/<entry>/g)?.length, 5)
    assert.match(atom.text, /<title>removed: Dinghy<\/title>/)
    const rss = await service.ask(monitor.links.rss.slice(service.url.length), { key: null })
    assert.equal(rss.text.match(/<item>/g)?.length, 5)
    const other = await service.ask(`/monitors/${monitor.monitor_id}/feed?token=guessed`, { key: null })
    assert.equal(other.status, 404)
  })

  test('a monitor of another workspace is not found, and a deleted one is gone', async () => {
    const { monitor_id } = await make({ job: { urls: urls() }, monitor_id: 'mine' })
    const key = await service.key({ workspace: 'others' })
    assert.equal((await service.ask(`/monitors/${monitor_id}`, { key })).status, 404)
    assert.equal((await service.ask(`/monitors/${monitor_id}`, { method: 'DELETE' })).status, 200)
    assert.equal((await service.ask(`/monitors/${monitor_id}`)).status, 404)
  })

  test('an invalid monitor is refused, and the error names the field', async () => {
    const ask = async (body: Record<string, unknown>) =>
      (
        await service.ask<{ error: { message: string } }>('/monitors', {
          body: { cron: '0 0 1 1 *', ...body },
        })
      ).body.error.message
    assert.match(await ask({ job: { urls: ['nowhere'] } }), /job\.urls/)
    assert.match(await ask({ job: { urls: urls() }, ignore: { noise: ['weather'] } }), /ignore\.noise/)
    assert.match(
      await ask({ job: { urls: urls(), webhook_url: receiver.url } }),
      /webhook_url of the monitor/,
    )
  })
})

describe('docs/monitors.md', () => {
  test('docs/monitors.md describes every field', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/monitors.md'), 'utf8')
    const fields = Object.keys(monitorBody.shape).map(snake)
    assert.deepEqual(
      fields.filter(field => !page.includes(`\`${field}`)),
      [],
    )
  })
})

describe('kscrape watch', () => {
  test('the first run of watch stores the pages, and later runs report exactly the changes', async () => {
    await using site = await startTestSite()
    await using place = await Workplace.open()
    const names = ['anchor', 'buoy', 'compass', 'dinghy']
    const flags = ['--rate', 'unlimited', '--allow-private', `${site.host}:${site.port}`]
    const watch = (...more: string[]) =>
      place.run(['watch', ...names.map(name => `${site.url}/changing/${name}`), ...flags, ...more])
    const first = await watch()
    assert.deepEqual(
      [first.code, first.stdout],
      [0, 'stored 4 pages; the next check shows changes\n'],
      first.stderr,
    )
    assert.match((await watch()).stdout, /^0 new, 4 same, 0 changed, 0 removed, 0 error\n$/)
    await advance(site)
    const third = await watch('--json')
    const { counts, pages } = JSON.parse(third.stdout) as ShownCheck
    assert.deepEqual([third.code, counts], [0, { new: 0, same: 1, changed: 2, removed: 1, error: 0 }])
    assert.deepEqual(pathsOf(pages, 'removed'), ['/changing/dinghy'])
    assert.match(
      (await place.run(['watch', `${site.url}/`, '--ignore', 'weather', ...flags])).stderr,
      /--ignore: /,
    )
  })
})
