// Tests the public routes where a site owner asks to be excluded. Anyone may use them, but a request needs a proof to take effect.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestService } from '../../support/service.ts'

interface RequestShown {
  request_id: string
  pattern: string
  status: string
  in_force: boolean
  proofs: { dns: { name: string; value: string }; well_known: { url: string; content: string } }
  looked?: string[]
}

describe('requests of site owners', () => {
  let site: TestSite
  let service: TestService
  let host: string
  before(async () => {
    site = await startTestSite()
    host = `${site.host}:${site.port}`
    service = await TestService.open({ settings: { allowPrivate: [host] } })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const post = <Body>(path: string, body?: unknown) =>
    service.ask<Body>(path, { method: 'POST', key: null, ...(body !== undefined && { body }) })
  const form = (path: string, fields: Record<string, string> = {}) =>
    service.ask(path, {
      method: 'POST',
      key: null,
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })

  test('a token on the site proves the request of its owner, and then no job requests the site', async () => {
    const asked = await post<RequestShown>('/do-not-crawl/requests', { host, contact: 'me@site.example' })
    assert.equal(asked.status, 201)
    const { request_id, proofs } = asked.body
    assert.deepEqual([asked.body.status, asked.body.in_force], ['requested', false])
    assert.ok(!asked.text.includes('me@site.example'), 'only the operator sees a contact')

    const early = await post<RequestShown>(`/do-not-crawl/requests/${request_id}/verify`)
    assert.deepEqual([early.status, early.body.in_force], [200, false])
    assert.match(early.body.looked!.join('\n'), /without the token/)
    site.serve(new URL(proofs.well_known.url).pathname, {
      headers: { 'content-type': 'text/plain' },
      body: `# ours\n${proofs.well_known.content}\n`,
    })
    const proved = await post<RequestShown>(`/do-not-crawl/requests/${request_id}/verify`)
    assert.deepEqual([proved.body.status, proved.body.in_force], ['proved', true])

    const jobId = await service.submit({ urls: [`${site.url}/about`] })
    const status = (await service.ended(jobId)) as { counts: { by_reason: Record<string, number> } }
    assert.deepEqual(status.counts.by_reason, { 'host.denied': 1 })
    assert.equal(site.requestsTo('/about').length, 0)
  })

  test('two equal requests create one entry, which the operator can approve or reject', async () => {
    const body = { host: 'https://Shop.example./about?x=1', subdomains: true }
    const first = await post<RequestShown>('/do-not-crawl/requests', body)
    const second = await post<RequestShown>('/do-not-crawl/requests', body)
    assert.equal(first.body.pattern, '*.shop.example')
    assert.equal(first.body.request_id, second.body.request_id)
    assert.equal(first.body.proofs.dns.name, '_kscrape.shop.example')
    const { request_id } = first.body
    const approved = await service.ask(`/do-not-crawl/${request_id}/approve`, { method: 'POST' })
    assert.deepEqual([approved.status, approved.body.status], [200, 'approved'])
    assert.ok(!approved.text.includes(first.body.proofs.dns.value), 'only the requester gets the token')
    const looked = await service.ask<RequestShown>(`/do-not-crawl/requests/${request_id}`, { key: null })
    assert.equal(looked.body.in_force, true)
    const refused = await service.ask(`/do-not-crawl/${request_id}/refuse`, { method: 'POST' })
    assert.equal(refused.body.status, 'refused')
  })

  test('the public cannot see lists and entries of the operator', async () => {
    const { body } = await service.ask<{ listing_id: string }>('/do-not-crawl', {
      body: { pattern: 'own.example' },
    })
    assert.equal((await service.ask('/do-not-crawl', { key: null })).status, 401)
    assert.equal((await service.ask(`/do-not-crawl/requests/${body.listing_id}`, { key: null })).status, 404)
    assert.equal((await post(`/do-not-crawl/requests/${body.listing_id}/verify`)).status, 404)
  })

  test('no internal address is requested for a proof of ownership', async () => {
    const { body } = await post<RequestShown>('/do-not-crawl/requests', { host: '169.254.169.254' })
    const verified = await post<RequestShown>(`/do-not-crawl/requests/${body.request_id}/verify`)
    assert.equal(verified.body.in_force, false)
    assert.match(verified.body.looked!.join('\n'), /address\.refused/)
  })

  test('the page for site owners works without scripts, escapes all text, and loads nothing else', async () => {
    const page = await service.ask('/do-not-crawl/request', { key: null })
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
    assert.ok(!/<script|src=|javascript:/i.test(page.text))

    const bad = await form('/do-not-crawl/request', { host: '"><script>alert(1)</script>' })
    assert.equal(bad.status, 422)
    assert.ok(!bad.text.includes('<script'))
    const entered = await form('/do-not-crawl/request', {
      host: 'form.example',
      subdomains: 'on',
      reason: '<b>',
    })
    assert.equal(entered.status, 200)
    assert.match(entered.text, /_kscrape\.form\.example/)
    const here = await form('/do-not-crawl/request', { host: site.host })
    const [action] = /\/do-not-crawl\/request\/[\w-]+\/check/.exec(here.text) ?? []
    const checked = await form(action ?? '')
    assert.equal(checked.status, 200)
    assert.match(checked.text, /proof was not found/)
    assert.equal((await form('/do-not-crawl/request/nothing/check')).status, 404)
  })

  test('invalid requests are refused, and so are too many requests from one IP address', async () => {
    for (const body of [{}, { host: '' }, { host: 'a b' }, { host: '*' }, { host: 'x.example', more: 1 }])
      assert.equal((await post('/do-not-crawl/requests', body)).status, 422, JSON.stringify(body))
    const statuses = new Set<number>()
    for (let count = 0; count < 25; count += 1)
      statuses.add((await post('/do-not-crawl/requests', { host: 'often.example' })).status)
    assert.ok(statuses.has(429))
    const last = await post('/do-not-crawl/requests', { host: 'often.example' })
    assert.ok(Number(last.headers.get('retry-after')) > 0)
    assert.equal((await service.ask('/jobs')).status, 200, 'no other request is delayed')
  })
})
