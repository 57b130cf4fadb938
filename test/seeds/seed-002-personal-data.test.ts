// Seed 002 (an earlier specification): a record contains what the page says, unless the operator or the caller protects personal
// data. Then the response says what is protected.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ScrapeApi, type ShownTask } from '../support/scrape-api.ts'

const markup = `<title>Kestrel</title><h1>Kestrel</h1>
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Organization","name":"Kestrel",
"description":"Best seen in Chrome/156.0.0.0","email":"hello@kestrel.example","telephone":"+1 602 555 0100"}</script>`

describe('personal data in the scrape API', () => {
  let api: ScrapeApi
  before(async () => {
    api = await ScrapeApi.open({ settings: { pii: 'keep,team=mask,vault=drop' } })
    api.site.serve('/company', markup)
  })
  after(() => api?.[Symbol.asyncDispose]())

  const scrape = async (key?: string, options?: object) => {
    const body = {
      url: `${api.site.url}/company`,
      target_type: 'company_website',
      ...(options && { options }),
    }
    return api.ask<ShownTask>('/sync', { body, ...(key !== undefined && { key }) })
  }
  const keyIn = (workspace: string, ...scopes: string[]) =>
    api.service.key({ workspace, scopes: ['read', 'submit', ...scopes] })

  test('by default personal data is kept, with any key', async () => {
    const { body } = await scrape(await api.service.key({ scopes: ['read', 'submit'] }))
    assert.equal(body.data.result?.contact_email, 'hello@kestrel.example')
    assert.deepEqual(body.data.notices, [])
    const kept = await scrape(await api.service.key({ scopes: ['read', 'submit'] }), { pii: 'keep' })
    assert.equal(kept.status, 200)
  })

  test('if the operator masks personal data for a workspace, masked fields are listed in notices, and version numbers stay', async () => {
    const { body } = await scrape(await keyIn('team'))
    const { result, notices } = body.data
    assert.equal(result?.contact_email, 'h***@k***.example')
    assert.equal(result?.description, 'Best seen in Chrome/156.0.0.0')
    assert.deepEqual([notices.length, notices[0]?.code], [1, 'personal-data.masked'])
    assert.deepEqual(notices[0]?.fields?.toSorted(), ['contact_email', 'contact_phone'])
    assert.match(notices[0]?.message ?? '', /contact_email \(email\)/)
  })

  test('a job needs no scope to protect personal data more than the default; to protect it less, it needs the scope personal_data', async () => {
    const dropped = await scrape(await keyIn('team'), { pii: 'drop' })
    assert.equal(dropped.body.data.result?.contact_email, null)
    assert.equal(dropped.body.data.notices[0]?.code, 'personal-data.dropped')
    const refused = await scrape(await keyIn('vault'), { pii: 'mask' })
    assert.equal(refused.status, 403)
    assert.match(refused.body.error?.message ?? '', /options\.pii.*personal_data/)
    const allowed = await scrape(await keyIn('vault', 'personal_data'), { pii: 'keep' })
    assert.equal(allowed.body.data.result?.contact_email, 'hello@kestrel.example')
  })

  test('both the results of a job and its counts say which fields were masked', async () => {
    const key = await keyIn('team')
    const jobId = await api.service.submit({ urls: [`${api.site.url}/company`] }, { key })
    const status = await api.service.ended(jobId, { key })
    assert.deepEqual((status.counts as { warnings: object }).warnings, { 'personal-data.masked': 1 })
    const { text } = await api.service.ask(`/jobs/${jobId}/results`, { key })
    assert.match(text, /"personal-data\.masked"/)
  })

  test('the row of an item is masked in results, in exports and in the item, and a warning names its columns', async () => {
    const key = await keyIn('team')
    const items = [
      {
        item_id: 'one',
        input: { url: `${api.site.url}/company`, owner: 'ann@kestrel.example', sku: '0012' },
      },
    ]
    const jobId = await api.service.submit({ items, scraper_id: 'page' }, { key })
    const status = await api.service.ended(jobId, { key })
    assert.deepEqual((status.counts as { warnings: object }).warnings, { 'personal-data.masked': 1 })
    for (const path of ['results', 'export?format=jsonl', 'items/one', 'search?q=kestrel']) {
      const { text } = await api.service.ask(`/jobs/${jobId}/${path}`, { key })
      assert.doesNotMatch(text, /ann@kestrel/, path)
    }
    const { text } = await api.service.ask(`/jobs/${jobId}/export?format=jsonl`, { key })
    const record = JSON.parse(text) as {
      _input: object
      _page: { warnings: Array<{ fields: string[] }>; input?: unknown }
    }
    assert.deepEqual(record._input, { ...items[0]!.input, owner: 'a***@k***.example' })
    assert.deepEqual(record._page.warnings.find(({ fields }) => fields[0]?.startsWith('_input'))?.fields, [
      '_input.owner',
    ])
    assert.equal(record._page.input, undefined)
  })
})
