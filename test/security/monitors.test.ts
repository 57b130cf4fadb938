// Promise: text of a page never becomes a header, markup or a mention in notifications of monitors, and monitors belong to their
// workspace.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mailBody, slackBody } from '../../src/server/api/monitors/messages.ts'
import { eventually, found } from '../support/eventually.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const never = '0 0 1 1 *'

describe('monitors', () => {
  let site: ListeningSite
  let internal: ListeningSite
  let service: TestService
  let alpha: string
  let beta: string

  before(async () => {
    site = await ListeningSite.open({ '/': html('<p>alpha-4711</p>') })
    internal = await ListeningSite.open()
    const settings = { allowPrivate: [site.place], rate: 'unlimited', smtpUrl: 'smtp://127.0.0.1:9' } as const
    service = await TestService.open({ settings })
    alpha = await service.key({ workspace: 'alpha' })
    beta = await service.key({ workspace: 'beta' })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await internal?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const job = () => ({ urls: [`${site.url}/`] })
  const monitor = (key: string, more: Record<string, unknown>) =>
    service.ask<{ links: { atom: string } }>('/monitors', { key, body: { cron: never, job: job(), ...more } })

  test('targets with line breaks, passwords, schemes other than http(s) or internal addresses are refused', async () => {
    const refused: Array<Record<string, unknown>> = [
      { email_to: ['a@b.example\r\nBcc: x@y.example'] },
      { email_to: ['"a\r\n"@b.example'] },
      { email_to: ['a@b.example, c@d.example'] },
      { webhook_url: 'mailto:a@b.example' },
      { slack_url: 'file:///etc/passwd' },
      { slack_url: 'https://user:geheim-4711@hooks.example/' },
      { slack_url: `${internal.url}/hook` },
      { webhook_url: 'http://169.254.169.254/' },
    ]
    for (const more of refused) {
      const { status, text } = await monitor(alpha, more)
      assert.ok(status === 422 || status === 403, `${JSON.stringify(more)} ${status}`)
      assert.doesNotMatch(text, /geheim-4711/)
    }
    assert.deepEqual(internal.paths, [])
  })

  test('with a read-only key, no response shows the Slack URL', async () => {
    const reader = await service.key({ workspace: 'alpha', scopes: ['read'] })
    const slack_url = `${site.url}/services/geheim-4711`
    const { status } = await monitor(alpha, { monitor_id: 'with-slack', slack_url, notify: 'always' })
    assert.equal(status, 201)
    const run = await service.ask<{ job_id: string }>('/monitors/with-slack/run', {
      key: alpha,
      method: 'POST',
    })
    const jobId = run.body.job_id
    const sent = await found('the message to Slack', async () => {
      const path = `/webhooks?job_id=${jobId}`
      return (await service.ask<{ webhooks: Array<{ webhook_id: string }> }>(path, { key: reader })).body
        .webhooks[0]
    })
    const webhook = `/webhooks/${sent.webhook_id}`
    const paths = ['/monitors', '/monitors/with-slack', '/schedules', '/schedules/with-slack', '/webhooks']
    paths.push(webhook, '/jobs', `/jobs/${jobId}`, `/jobs/${jobId}/status`)
    for (const path of paths) {
      const { status, text } = await service.ask(path, { key: reader })
      assert.deepEqual([path, status, text.includes('geheim-4711')], [path, 200, false], text)
    }
    for (const path of ['/monitors/with-slack', webhook])
      assert.match((await service.ask(path, { key: alpha })).text, /geheim-4711/, path)
  })

  test('labels of a job cannot replace the settings of its monitor', async () => {
    const labels = { monitor: '{}', 'monitor.1': 'x' }
    for (const [name, value] of Object.entries(labels)) {
      const { status, text } = await monitor(alpha, { job: { ...job(), labels: { [name]: value } } })
      assert.deepEqual([status, text.includes(`job.labels.${name}:`)], [422, true], text)
    }
    for (const path of ['/monitors', '/v2/monitor'])
      assert.equal((await service.ask(path, { key: alpha })).status, 200)
  })

  test('text of a page cannot add headers, lines, links, markup or mentions to a message', () => {
    const text =
      'a\r\nBcc: x@y.example\r\n\r\n<!channel> @everyone *b* [c](https://evil.example) <https://evil.example|d>'
    const change = { url: 'https://a.example/', status: 'changed', title: text, diff: null, reason: text }
    const changes = [{ ...change, fields: [{ field: text, before: text, after: { [text]: text } }] }]
    const counts = { new: 0, same: 0, changed: 1, removed: 0, error: 0 }
    const check = { jobId: 'j', at: 0, against: 'i', counts, changes, isCut: false } as never
    const mail = JSON.parse(mailBody({} as never, check, text)) as { subject: string; text: string }
    assert.doesNotMatch(mail.subject, /[\r\n]/)
    assert.deepEqual([mail.text.includes('\r'), mail.text.split('\n').length], [false, 4])
    const slack = JSON.parse(slackBody({} as never, check, text)) as { text: string }
    assert.equal(slack.text.split('\n').length, 3)
    assert.doesNotMatch(slack.text, /[<>\r]|@everyone|\]\(|(?<!\u200b)\*b/)
  })

  test('a feed can be read only with the token of its own workspace, even if other workspaces use the same id', async () => {
    const links = new Map<string, string>()
    for (const key of [alpha, beta]) {
      const { body, text } = await monitor(key, {
        monitor_id: 'same',
        name: key === alpha ? 'alpha-4711' : 'b',
      })
      links.set(key, URL.parse(body.links.atom)?.searchParams.get('token') ?? text)
    }
    const feed = (token: string) =>
      service.ask(`/monitors/same/feed?token=${encodeURIComponent(token)}`, { key: null })
    const [own, others] = [links.get(alpha)!, links.get(beta)!]
    assert.match((await feed(own)).text, /alpha-4711/)
    const signature = own.slice(own.lastIndexOf('.') + 1)
    const wrong = [
      others.replace('beta', 'alpha'),
      ...[
        own.replace('alpha', 'beta'),
        signature,
        `default.${signature}`,
        `alpha.${signature}x`,
        'alpha.',
        '.',
        '~.x',
      ],
      `../alpha.${signature}`,
    ]
    for (const token of wrong) {
      const { status, text } = await feed(token)
      assert.deepEqual([token, status, text.includes('alpha-4711')], [token, 404, false])
    }
    assert.doesNotMatch((await feed(others)).text, /alpha-4711/)
  })

  test('another workspace learns nothing about a monitor, its running check, or its tasks in flight', async () => {
    let arrived = () => {}
    const isAsked = new Promise<void>(resolve => {
      arrived = resolve
    })
    site.pages['/slow'] = () => arrived()
    // In the operator’s workspace, ids are stored without the name of the workspace, so another workspace could guess them.
    const body = { monitor_id: 'slow', cron: never, job: { urls: [`${site.url}/slow`] } }
    assert.equal((await service.ask('/monitors', { body })).status, 201)
    await monitor(beta, { monitor_id: 'slow' })
    await monitor(alpha, { monitor_id: 'only-alpha' })
    const run = await service.ask<{ job_id: string }>('/monitors/slow/run', { method: 'POST' })
    await isAsked
    const jobId = run.body.job_id
    const check = (key?: string) =>
      service.ask(`/monitors/slow/checks/${jobId}`, key === undefined ? {} : { key })
    assert.equal((await check()).status, 409)
    assert.equal((await check(beta)).status, 404)
    for (const key of [beta, null])
      assert.equal((await service.ask<{ queue: object | null }>('/health', { key })).body.queue, null)
    // A cluster counts the tasks in flight a moment later.
    await eventually('the operator sees the task in flight', async () => {
      const { body } = await service.ask<{ queue: Record<string, number> }>('/health')
      return body.queue.active_workers === 1
    })
    for (const version of ['v1', 'v2']) {
      const { body: load } = await service.ask(`/${version}/concurrency-check`, { key: beta })
      assert.equal(load.concurrency, 0)
      const { body: mine } = await service.ask(`/${version}/concurrency-check`)
      assert.equal(mine.concurrency, 1)
    }
    for (const path of [
      '/v2/monitor/slow/checks',
      '/monitors/slow/checks',
      '/activity',
      '/jobs',
      '/webhooks',
    ])
      assert.doesNotMatch((await service.ask(path, { key: beta })).text, new RegExp(jobId))
    const asks = [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/run'],
      ['GET', '/checks'],
    ] as const
    for (const base of ['/monitors', '/v2/monitor'])
      for (const [method, rest] of asks)
        for (const id of ['only-alpha', 'only-alpha~alpha', 'only-alpha%7Ealpha']) {
          const { status } = await service.ask(`${base}/${id}${rest}`, { key: beta, method })
          assert.ok(
            status === 404 || status === 422 || status === 400,
            `${method} ${base}/${id}${rest} ${status}`,
          )
        }
    await service.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  })
})
