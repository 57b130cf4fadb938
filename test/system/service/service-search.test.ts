// Tests how the records of a service are searched: by words, by fields, page by page, and only in the caller's workspace.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defineScraper } from '../../../src/scraper/define-scraper.ts'
import { eventually } from '../../support/eventually.ts'
import { TestService } from '../../support/service.ts'

interface Found {
  records: Array<{
    job_id: string
    item_id: string
    url: string
    scraper: string
    data: Record<string, unknown>
  }>
  next_cursor: string | null
}

interface Refusal {
  error: { code: string; field?: string }
}

const lamp = defineScraper({
  id: 'lamp',
  async run({ input, emit }) {
    emit(input as { name: string })
  },
})

const rows = [
  { name: 'Blue desk lamp', price: 20, tags: ['light', 'desk'], sku: 'a-1' },
  { name: 'Red desk lamp', price: 45, tags: ['light'] },
  { name: 'Straßenlaterne für draußen', price: 300, tags: [] },
  { name: 'Armchair', price: 120, in_stock: true },
]

describe('search', () => {
  let service: TestService
  let jobId: string
  before(async () => {
    service = await TestService.open({ scrapers: [lamp] })
    const items = rows.map((input, index) => ({ item_id: `row-${index + 1}`, input }))
    jobId = await service.submit({ scraper_id: 'lamp', items })
    await service.ended(jobId)
    const key = await service.key({ workspace: 'theirs' })
    await service.ended(
      await service.submit(
        { scraper_id: 'lamp', items: [{ input: { name: 'Their lamp', price: 1 } }] },
        { key },
      ),
      { key },
    )
    // The search index is updated later, in the order of commits. In a cluster, another process updates it.
    await eventually('the last record is in the index', async () => {
      await service.service.engine.data.store.search.advance(1_000)
      return (await service.ask<Found>('/search?q=lamp', { key })).body.records.length === 1
    })
  })
  after(() => service?.[Symbol.asyncDispose]())

  const names = async (query: string) => {
    const { status, body, text } = await service.ask<Found>(`/search?${query}`)
    assert.equal(status, 200, text)
    return body.records.map(({ data }) => data.name).sort()
  }
  const posted = async (body: unknown) => {
    const answer = await service.ask<Found>('/search', { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.records.map(({ data }) => data.name).sort()
  }

  test('words are found in every field, as prefix and as phrase, with or without accents', async () => {
    assert.deepEqual(await names('q=lamp'), ['Blue desk lamp', 'Red desk lamp'])
    assert.deepEqual(await names('q=lamp%20blue'), ['Blue desk lamp'])
    assert.deepEqual(await names('q=%22desk%20lamp%22'), ['Blue desk lamp', 'Red desk lamp'])
    assert.deepEqual(await names('q=strass*'), [])
    assert.deepEqual(await names('q=fur'), ['Straßenlaterne für draußen'])
    assert.deepEqual(await names('q=arm*'), ['Armchair'])
    assert.deepEqual(await names('q=nothing'), [])
  })

  test('filters compare fields, and a record must match all filters', async () => {
    assert.deepEqual(await names('filter=price%3C50'), ['Blue desk lamp', 'Red desk lamp'])
    assert.deepEqual(await names('filter=price%3E=120&filter=price!=300'), ['Armchair'])
    assert.deepEqual(await names('filter=name~DESK&q=red'), ['Red desk lamp'])
    assert.deepEqual(await names('filter=sku'), ['Blue desk lamp'])
    assert.deepEqual(await names('filter=!sku&filter=in_stock=true'), ['Armchair'])
    assert.deepEqual(await names('filter=tags.0=light&filter=tags.1=desk'), ['Blue desk lamp'])
    const filters = [{ field: 'price', is: 'lte', value: 20 }]
    assert.deepEqual(await posted({ text: 'desk', filters }), ['Blue desk lamp'])
    assert.deepEqual(
      await posted({ filters: [{ field: 'price', value: '20' }] }),
      [],
      'a text is not compared with a number',
    )
  })

  test('a search can be limited to a job, a scraper or a host', async () => {
    assert.equal((await names(`job_id=${jobId}&scraper=lamp`)).length, 4)
    assert.equal((await names('scraper=lamp@1')).length, 4)
    assert.equal((await names('scraper=lam')).length, 0)
    assert.equal((await names('host=a.example')).length, 0)
    assert.equal((await names('job_id=other')).length, 0)
  })

  test('search results are newest first, and each record is found once', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await service.ask<Found>(`/search?limit=1${cursor}`)
      seen.push(...body.records.map(({ item_id }) => item_id))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor)
    assert.deepEqual(seen.sort(), ['row-1', 'row-2', 'row-3', 'row-4'])
  })

  test('a search never finds records of another workspace', async () => {
    const key = await service.key({ workspace: 'theirs', scopes: ['read'] })
    const theirs = await service.ask<Found>('/search?q=lamp', { key })
    assert.deepEqual(
      theirs.body.records.map(({ data }) => data.name),
      ['Their lamp'],
    )
    const all = await service.ask<Found>(`/search?job_id=${jobId}`, { key })
    assert.deepEqual(all.body.records, [])
    assert.equal((await service.ask('/search', { key: null })).status, 401)
  })

  test('an invalid query is refused with the name of the parameter, and no part of the query runs as SQL', async () => {
    const wrong: Array<[string, string]> = [
      ['q=%22!!%22', 'q'],
      ['filter=%3D5', 'filter'],
      ['filter=a..b=1', 'filters'],
      ['limit=0', 'limit'],
      ['cursor=nonsense', 'cursor'],
      ['words=x', 'words'],
    ]
    for (const [query, field] of wrong) {
      const { status, body } = await service.ask<Refusal>(`/search?${query}`)
      assert.deepEqual([query, status, body.error.field], [query, 422, field])
    }
    for (const text of [`lamp' OR 1=1 --`, '") OR 1', 'NEAR(a b)', 'name:lamp OR armchair', '*lamp', '"lamp'])
      assert.ok((await posted({ text })).length <= 2, text)
    const filters = [{ field: `price') OR 1=1 --`, is: 'eq', value: 1 }]
    assert.deepEqual(await posted({ filters }), [])
    const { status } = await service.ask('/search', {
      body: { filters: [{ field: 'a', is: 'like', value: 1 }] },
    })
    assert.equal(status, 422)
  })

  test('records of a deleted job are no longer found', async () => {
    const gone = await service.submit({ scraper_id: 'lamp', items: [{ input: { name: 'Ephemeral' } }] })
    await service.ended(gone)
    while ((await service.service.engine.data.store.search.advance(1_000)).behind);
    assert.deepEqual(await names('q=ephemeral'), ['Ephemeral'])
    await service.ask(`/jobs/${gone}`, { method: 'DELETE' })
    assert.deepEqual(await names('q=ephemeral'), [])
  })
})

test('if a service has no search index, a text search says so, and filters still work', async () => {
  await using service = await TestService.open({ settings: { search: false } })
  const { status, body } = await service.ask<Refusal>('/search?q=lamp')
  assert.deepEqual([status, body.error.code], [422, 'feature.missing'])
  assert.equal((await service.ask('/search?filter=price%3E1')).status, 200)
})
