// Tests that consents beyond the polite defaults need a key with the scope, and are stored with the job.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

interface Refusal {
  error: { code: string; message: string; field?: string }
}

interface Conduct {
  user_agent: string
  robots: { policy: string | null; disallowed: number; files: Array<{ verdict: string }> }
  browser: { stealth: boolean }
  personal_data: string
  consents: Array<{ what: string; value: string; who: string; at: string }>
  hosts: Array<{ host: string; requests: number; achieved_rate: number | null }>
}

const members = defineScraper({
  id: 'members',
  credentials: 'members',
  async run({ emit, credentials }) {
    emit({ fields: Object.keys(credentials).sort() })
  },
})

/** For each consent: a body that requests it, and the field that the error names. */
const asking: Array<[scope: string, body: Record<string, unknown>, field: string]> = [
  ['ignore_robots', { policy: { robots: 'ignore' } }, 'policy.robots'],
  ['stealth', { browser: 'stealth' }, 'browser'],
  ['browser_headers', { user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0' }, 'user_agent'],
  ['browser_headers', { headers: { 'Sec-CH-UA': '"Chrome"' } }, 'headers.Sec-CH-UA'],
  ['credentials', { headers: { Authorization: 'Bearer x' } }, 'headers.Authorization'],
  ['credentials', { session: 'shop' }, 'session'],
  ['credentials', { scraper_id: 'members' }, 'scraper_id'],
  ['personal_data', { pii: 'keep' }, 'pii'],
]

/** Placeholders for one secret, in all forms that actions accept. */
const spellings = [
  '{{secret.SHOP_PASSWORD}}',
  '{{ secret.SHOP_PASSWORD }}',
  '{{\tsecret.SHOP_PASSWORD}}',
  '{{\n\u00a0secret.SHOP_PASSWORD}}',
  'x{{{ secret.SHOP_PASSWORD}}}',
]

describe('consent', () => {
  let site: TestSite
  let service: TestService
  before(async () => {
    site = await startTestSite()
    service = await TestService.open({
      settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 100, maxRate: '200/s', pii: 'mask' },
      scrapers: [members],
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const conductOf = async (jobId: string) => (await service.ask<Conduct>(`/jobs/${jobId}/conduct`)).body
  const job = (more: Record<string, unknown> = {}) => ({ urls: [`${site.url}/about`], ...more })

  for (const [scope, body, field] of asking)
    test(`a job with ${JSON.stringify(body)} needs a key with the scope ${scope}, and the consent is stored`, async () => {
      const without = await service.key({ scopes: ['read', 'submit'] })
      const refused = await service.ask<Refusal>('/jobs', { key: without, body: job(body) })
      assert.deepEqual([refused.status, refused.body.error.code], [403, 'request.forbidden'])
      assert.match(refused.body.error.message, new RegExp(`scope "${scope}"`))
      assert.equal(refused.body.error.field, field)

      const made = await service.ask<{ key: string; key_id: string }>('/keys', {
        body: { scopes: ['read', 'submit', scope] },
      })
      const { key, key_id } = made.body
      const jobId = await service.submit(job(body), { key })
      await service.ask(`/jobs/${jobId}/cancel`, { method: 'POST', key })
      const [note, ...others] = (await conductOf(jobId)).consents
      assert.deepEqual([note?.what, note?.who, others], [scope, key_id, []])
      assert.ok(Math.abs(Date.parse(note!.at) - Date.now()) < 60_000)
    })

  test('a consent that the operator forbids needs an admin key, whatever scopes another key has', async () => {
    await using strict = await TestService.open({ settings: { consents: ['credentials'] } })
    const key = await strict.key({ scopes: ['submit', 'stealth'] })
    const body = { urls: ['https://a.example/'], browser: 'stealth' }
    const refused = await strict.ask<Refusal>('/jobs', { key, body })
    assert.equal(refused.status, 403)
    assert.match(refused.body.error.message, /SCRAPER_CONSENTS/)
    assert.equal((await strict.ask('/jobs', { body: { ...body, job_id: 'admins' } })).status, 202)
  })

  test('no job without an admin key exceeds the operator’s rate limit', async () => {
    const key = await service.key({ scopes: ['submit'] })
    const asked = async (host: unknown, by?: string) =>
      (await service.ask<Refusal>('/jobs', { ...(by && { key: by }), body: job({ policy: { host } }) }))
        .status
    assert.deepEqual(
      [
        await asked({ rate: 200 }, key),
        await asked({ rate: 201 }, key),
        await asked({ rate: 'unlimited' }, key),
      ],
      [202, 403, 403],
    )
    assert.equal(await asked({ burst: 5 }, key), 403)
    assert.equal(await asked({ rate: 'unlimited', burst: 5 }), 202)
  })

  test('if the operator masks personal data, records contain none unless a key with the scope asks for it', async () => {
    site.serve('/contact-us', '<title>Write</title><p>Mail jane.doe@example.org or call +1 202 555 0143</p>')
    const recordsOf = async (more: Record<string, unknown>) => {
      const jobId = await service.submit({ urls: [`${site.url}/contact-us`], ...more })
      await service.ended(jobId)
      return [jobId, (await service.ask(`/jobs/${jobId}/results`)).text] as const
    }
    const [maskedJob, masked] = await recordsOf({})
    assert.ok(!masked.includes('jane.doe@example.org'))
    assert.equal((await conductOf(maskedJob)).personal_data, 'mask')
    const [, kept] = await recordsOf({ pii: 'keep' })
    assert.ok(kept.includes('jane.doe@example.org'))
  })

  test('the receipt shows which key requested which hosts at which rate, and what was skipped', async () => {
    const jobId = await service.submit({
      urls: [`${site.url}/about`, `${site.url}/jobs`, `${site.url}/private/hidden`],
    })
    await service.ended(jobId)
    const conduct = await conductOf(jobId)
    assert.match(conduct.user_agent, /^kscrape\//)
    assert.deepEqual([conduct.browser.stealth, conduct.consents, conduct.robots.policy], [false, [], null])
    assert.equal(conduct.robots.files[0]?.verdict, 'parsed')
    const [host] = conduct.hosts
    assert.equal(host?.host, `${site.host}:${site.port}`)
    assert.ok(host!.requests >= 2)
    assert.ok(host!.achieved_rate !== null && host!.achieved_rate <= 101)
    const other = await service.key({ workspace: 'other', scopes: ['read'] })
    assert.equal((await service.ask(`/jobs/${jobId}/conduct`, { key: other })).status, 404)
  })

  test('jobs of other workspaces cannot use secrets of this machine', async () => {
    const key = await service.key({ workspace: 'other', scopes: ['submit', 'credentials'] })
    const without = await service.key({ scopes: ['submit'] })
    for (const text of spellings)
      for (const actions of [
        [{ type: 'type', selector: '#p', text }],
        [{ type: 'for-each', values: [text], steps: [{ type: 'goto', url: `${site.url}/{{item}}` }] }],
      ]) {
        const refused = await service.ask<Refusal>('/jobs', { key, body: job({ actions }) })
        assert.deepEqual([refused.status, refused.body.error?.field], [403, 'actions'], text)
        const lacking = await service.ask<Refusal>('/jobs', { key: without, body: job({ actions }) })
        assert.deepEqual([lacking.status, lacking.body.error?.field], [403, 'actions'], text)
      }
  })

  test('a key with only scopes for consents is refused, because it could use no route', async () => {
    const { status, body } = await service.ask<Refusal>('/keys', { body: { scopes: ['stealth'] } })
    assert.deepEqual([status, body.error.field], [422, 'scopes'])
  })
})

test('if the operator masks personal data, the scrape API masks it too, and names the scope to disable this', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], pii: 'mask' },
  })
  site.serve('/write', '<title>Write</title><p>Mail jane.doe@example.org</p>')
  const asked = (options: object, key?: string) =>
    service.ask<{ error: { code: string; message: string } | null }>('/api/v1/scrape/sync', {
      ...(key && { key }),
      body: { url: `${site.url}/write`, target_type: 'page', options },
    })
  const masked = await asked({})
  assert.deepEqual([masked.status, masked.text.includes('jane.doe@example.org')], [200, false])
  assert.ok((await asked({ pii: 'keep' })).text.includes('jane.doe@example.org'))
  const refused = await asked({ pii: 'keep' }, await service.key({ scopes: ['submit'] }))
  assert.equal(refused.status, 403)
  assert.match(refused.body.error?.message ?? '', /options\.pii.*personal_data/)
})
