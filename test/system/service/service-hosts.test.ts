// Tests hosts and do-not-crawl lists of a running service: changes apply at once, even to running jobs, and survive a restart.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { found } from '../../support/eventually.ts'
import { TestService } from '../../support/service.ts'

interface HostShown {
  host: string
  rate_now: number | string
  policy: { rate: number | string; action_delay_ms: { min: number } }
  policy_set: { policy: Record<string, unknown>; by: string } | null
  paused: { until: string | null; reason: string | null; by: string } | null
  denied: string | null
  breaker: { state: string }
  waits: { reason: string } | null
  requests: number
  last_errors: Array<{ code: string }>
  robots: Array<{ origin: string; verdict: string; front_page: { allowed: boolean } }>
}

interface Refusal {
  error: { code: string; message: string; field?: string }
}

const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }

describe('hosts and lists of a service', () => {
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

  const shown = async (name = host) => (await service.ask<HostShown>(`/hosts/${name}`)).body
  const post = <Body>(path: string, body?: unknown) =>
    service.ask<Body>(path, { method: 'POST', ...(body !== undefined && { body }) })
  const remove = (path: string) => service.ask(path, { method: 'DELETE' })

  test('a host shows its rate, robots.txt, breaker and errors', async () => {
    await service.ended(
      await service.submit({ urls: [`${site.url}/about`, `${site.url}/no-such-page`], ...fast }),
    )
    const about = await shown()

    assert.equal(about.host, host)
    assert.ok(about.requests >= 3, 'robots.txt and two pages')
    assert.equal(about.breaker.state, 'closed')
    assert.equal(about.rate_now, 1)
    assert.equal(about.last_errors[0]?.code, 'http.not-found')
    assert.equal(about.robots[0]?.verdict, 'parsed')
    assert.equal(about.robots[0]?.front_page.allowed, true)
    const list = await service.ask<{ hosts: HostShown[]; next_cursor: string | null }>('/hosts?limit=1')
    assert.deepEqual(
      list.body.hosts.map(entry => entry.host),
      [host],
    )
    const rest = await service.ask<{ hosts: HostShown[] }>(`/hosts?cursor=${list.body.next_cursor}`)
    assert.deepEqual(rest.body.hosts, [])
  })

  test('a host that was never requested is unknown, and only operators may see hosts', async () => {
    const unknown = await service.ask<Refusal>('/hosts/nobody.example')
    assert.equal(unknown.status, 404)
    assert.equal(unknown.body.error.code, 'host.unknown')
    const key = await service.key({ scopes: ['submit'] })
    assert.equal((await service.ask('/hosts', { key })).status, 403)
    assert.equal((await service.ask(`/hosts/${host}/pause`, { key, body: {} })).status, 403)
  })

  test('a paused host gets no request until it is resumed; pause and resume apply at once', async () => {
    const paused = await post<HostShown>(`/hosts/${host}/pause`, { reason: 'they asked' })
    assert.equal(paused.status, 200)
    assert.deepEqual([paused.body.paused?.reason, paused.body.paused?.until], ['they asked', null])
    assert.equal(paused.body.waits?.reason, 'paused')
    const before = site.requests.length
    const jobId = await service.submit({ urls: [`${site.url}/jobs`], ...fast })
    const waiting = await untilWaiting(service, jobId)
    assert.deepEqual([waiting, site.requests.length], ['paused', before])

    const resumed = await post<HostShown>(`/hosts/${host}/resume`)
    assert.equal(resumed.body.paused, null)
    assert.equal((await service.ended(jobId)).status, 'completed')
  })

  test('a host policy wins over the policies of jobs, and no longer applies after it is removed', async () => {
    const set = await service.ask<HostShown>(`/hosts/${host}/policy`, {
      method: 'PUT',
      body: { rate: 0.25, action_delay_ms: { min: 100 } },
    })
    assert.equal(set.status, 200)
    assert.deepEqual([set.body.rate_now, set.body.policy.action_delay_ms.min], [0.25, 100])
    const jobId = await service.submit({
      urls: [`${site.url}/a`, `${site.url}/b`, `${site.url}/c`],
      ...fast,
    })
    assert.equal(await untilWaiting(service, jobId), 'rate')
    const back = await remove(`/hosts/${host}/policy`)
    assert.equal(back.status, 200)
    assert.equal((await service.ended(jobId)).status !== 'running', true)
    assert.equal((await shown()).policy_set, null)
  })

  test('an invalid policy is refused with the name of the field', async () => {
    const wrong: Array<[unknown, string]> = [
      [{ rate: -1 }, 'rate'],
      [{ rates: 1 }, 'rates'],
      [{ action_delay_ms: { min: 500, max: 100 } }, 'action_delay_ms'],
    ]
    for (const [body, field] of wrong) {
      const answer = await service.ask<Refusal>(`/hosts/${host}/policy`, { method: 'PUT', body })
      assert.deepEqual([answer.status, answer.body.error.field], [422, field])
    }
    assert.equal((await service.ask(`/hosts/${host}/policy`, { method: 'PUT', body: {} })).status, 422)
    assert.equal((await post(`/hosts/${host}/pause`, { until: 'tomorrow' })).status, 422)
    assert.equal((await service.ask('/hosts/a%20b')).status, 404)
  })

  test('a denied host gets no more requests, even from running jobs, and its tasks end as host.denied', async () => {
    await post(`/hosts/${host}/pause`, {})
    const urls = Array.from({ length: 50 }, (_, index) => `${site.url}/products/${index + 1}`)
    const jobId = await service.submit({ urls, ...fast })
    await untilWaiting(service, jobId)
    const before = site.requests.length

    const entered = await post<{ listing_id: string; status: string; pattern: string }>('/do-not-crawl', {
      pattern: `*.${site.host.toUpperCase()}`,
      reason: 'by mail',
    })
    assert.deepEqual(
      [entered.status, entered.body.status, entered.body.pattern],
      [201, 'approved', `*.${site.host}`],
    )
    const status = (await service.ended(jobId)) as { counts: { by_reason: Record<string, number> } }
    assert.deepEqual(status.counts.by_reason, { 'host.denied': 50 })
    assert.match((await shown()).denied ?? '', /do-not-crawl/)
    await post(`/hosts/${host}/resume`)
    const later = await service.submit({ urls: [`${site.url}/about`], ...fast })
    const ended = (await service.ended(later)) as { counts: { by_reason: Record<string, number> } }
    assert.deepEqual(ended.counts.by_reason, { 'host.denied': 1 })
    assert.equal(site.requests.length, before)
    const conduct = await service.ask<{ denied: number }>(`/jobs/${jobId}/conduct`)
    assert.equal(conduct.body.denied, 50)

    assert.equal((await remove(`/do-not-crawl/${entered.body.listing_id}`)).status, 200)
    const again = await service.submit({ urls: [`${site.url}/about`], ...fast })
    assert.equal((await service.ended(again)).status, 'completed')
  })

  test('with an allow list no other host is requested, and a single path of a host can be denied', async () => {
    const ids: string[] = []
    const enter = async (body: unknown) =>
      ids.push((await post<{ listing_id: string }>('/do-not-crawl', body)).body.listing_id)
    await enter({ list: 'allow', pattern: host })
    await enter({ pattern: `${host}/products` })
    const jobId = await service.submit({
      urls: [`${site.url}/about`, `${site.url}/products/1`, 'https://elsewhere.example/'],
      ...fast,
    })
    const status = (await service.ended(jobId)) as { counts: { by_reason: Record<string, number> } }
    assert.deepEqual(status.counts.by_reason, { ok: 1, 'host.denied': 2 })
    const list = await service.ask<{ listings: Array<{ list: string }> }>('/do-not-crawl?list=allow')
    assert.deepEqual(
      list.body.listings.map(entry => entry.list),
      ['allow'],
    )
    for (const id of ids) await remove(`/do-not-crawl/${id}`)
  })

  test('an entry of the do-not-crawl list without a valid host is refused, and an unknown entry is not found', async () => {
    for (const pattern of ['', 'a b', 'https://a.example/', '*.a.example/x', '?', '*'])
      assert.equal((await post<Refusal>('/do-not-crawl', { pattern })).body.error.field, 'pattern', pattern)
    assert.equal((await remove('/do-not-crawl/nothing')).status, 404)
    assert.equal((await post('/do-not-crawl/nothing/approve')).status, 404)
  })
})

/** Waits until the job has to wait, and returns the reason. */
async function untilWaiting(service: TestService, jobId: string): Promise<string> {
  const { engine } = service.service
  return found(`${jobId} to wait`, async () => (await engine.progress(jobId)).waiting[0]?.reason)
}

test('host policies and list entries survive a restart, including those that were added while no service ran', async () => {
  await using site = await startTestSite()
  const host = `${site.host}:${site.port}`
  const settings = { allowPrivate: [host] }
  const first = await TestService.open({ settings })
  await first.ask(`/hosts/${host}/policy`, { method: 'PUT', body: { rate: 5 } })
  await first.ask(`/hosts/${host}/pause`, { body: { until: '2100-01-01T00:00:00Z' } })
  await first.close()

  await using second = await TestService.open({ settings }, first.folder)
  const { body } = await second.ask<HostShown>(`/hosts/${host}`)
  assert.deepEqual([body.policy.rate, body.paused?.until], [5, '2100-01-01T00:00:00.000Z'])
  const jobId = await second.submit({ urls: [`${site.url}/about`] })
  assert.equal(await untilWaiting(second, jobId), 'paused')
  // The entry is stored directly, as a command on the same data directory would do.
  await second.service.engine.data.store.conduct.enterListing({
    ...{ id: 'd', list: 'deny', pattern: host, state: 'approved', reason: null, contact: null, token: null },
    ...{ createdAt: 1, decidedAt: 1, decidedBy: 'cli' },
  })
  const status = (await second.ended(jobId)) as { counts: { by_reason: Record<string, number> } }
  assert.deepEqual(status.counts.by_reason, { 'host.denied': 1 })
  assert.equal(site.requests.length, 0)
})
