// The store contract for searching records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordQuery } from '../../../src/model/record-query.ts'
import type { Store } from '../../../src/ports/store.ts'
import { claim, newRecord, type OpenStore, openWithJob, settle, settlementOf } from './fixtures.ts'

const things = [
  { name: 'Blue Night Light', price: 12.5, offer: { shop: 'Müller' }, tags: ['lamp'] },
  { name: 'Red lampshade', price: 7, offer: { shop: 'Other' }, sold: true },
  { name: 'Night train', price: '12', sold: false },
]

/** A store whose search index has one record for each item. */
async function openWithThings(open: OpenStore) {
  const opened = await openWithJob(open, things.length)
  const { store, clock } = opened
  const tasks = await claim(store, clock)
  const settlements = tasks.map((task, index) =>
    settlementOf(task, { records: [newRecord(0, { data: JSON.stringify(things[index]) })] }),
  )
  await settle(store, ...settlements)
  while ((await store.search.advance(2)).behind);
  return opened
}

const namesOf = async (store: Store, query: Partial<RecordQuery>): Promise<string[]> => {
  const found = await store.search.query({ workspace: 'default', limit: 10, ...query })
  return found.map(({ data }) => (JSON.parse(data) as { name: string }).name)
}

export function searchPromises(open: OpenStore): void {
  test('records are found by words, phrases and prefixes, newest first, regardless of accents and case', async () => {
    await using opened = await openWithThings(open)
    const { store } = opened

    assert.deepEqual(await namesOf(store, { text: 'night' }), ['Night train', 'Blue Night Light'])
    assert.deepEqual(await namesOf(store, { text: '"night light"' }), ['Blue Night Light'])
    assert.deepEqual(await namesOf(store, { text: 'lamp*' }), ['Red lampshade', 'Blue Night Light'])
    assert.deepEqual(await namesOf(store, { text: 'muller BLUE' }), ['Blue Night Light'])
    assert.deepEqual(await namesOf(store, { text: 'nowhere' }), [])
  })

  test('large records are indexed one at a time, and each can be found by its beginning', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    const tasks = await claim(store, clock)
    const longText = (index: number) => `word${index} \\"${'ab '.repeat(300_000)} end${index}`
    const data = (index: number) => JSON.stringify({ name: longText(index), rest: [index] })
    await settle(
      store,
      ...tasks.map((task, index) => settlementOf(task, { records: [newRecord(0, { data: data(index) })] })),
    )

    assert.deepEqual(await store.search.advance(50), { indexed: 1, behind: true })
    assert.deepEqual(await store.search.advance(50), { indexed: 1, behind: true })
    assert.equal((await store.search.advance(50)).indexed, 1)
    assert.deepEqual(await store.search.advance(50), { indexed: 0, behind: false })
    const found = await store.search.query({ workspace: 'default', limit: 10, text: 'word1' })
    assert.deepEqual(
      found.map(({ n }) => n),
      [tasks[1]!.n],
    )
  })

  test('no search text causes an error in the database', async () => {
    await using opened = await openWithThings(open)
    for (const text of [
      '"',
      'a OR',
      'NEAR(',
      '*',
      "' OR 1=1 --",
      'name:x',
      '^a',
      '-',
      '(',
      '"unclosed night',
    ])
      assert.ok(Array.isArray(await namesOf(opened.store, { text })), text)
  })

  test('a search compares fields by their type', async () => {
    await using opened = await openWithThings(open)
    const by = (
      field: string,
      is: 'eq' | 'gt' | 'lte' | 'contains' | 'exists',
      value: string | number | boolean,
    ) => namesOf(opened.store, { filters: [{ field, is, value }] })

    assert.deepEqual(await by('price', 'gt', 8), ['Blue Night Light'])
    assert.deepEqual(await by('price', 'eq', '12'), ['Night train'])
    assert.deepEqual(await by('price', 'lte', 7), ['Red lampshade'])
    assert.deepEqual(await by('offer.shop', 'contains', 'ller'), ['Blue Night Light'])
    assert.deepEqual(await by('tags.0', 'eq', 'lamp'), ['Blue Night Light'])
    assert.deepEqual(await by('sold', 'eq', false), ['Night train'])
    assert.deepEqual(await by('offer', 'exists', false), ['Night train'])
    await assert.rejects(by('a"b', 'eq', 1), { code: 'input.invalid' })
  })

  test('a search stays within its workspace and job, and continues page by page', async () => {
    await using opened = await openWithThings(open)
    const { store } = opened
    const [first] = await store.search.query({ workspace: 'default', text: 'night', limit: 1 })

    assert.deepEqual(await namesOf(store, { workspace: 'other', text: 'night' }), [])
    assert.deepEqual(await namesOf(store, { jobId: 'nowhere' }), [])
    assert.deepEqual(await namesOf(store, { text: 'night', before: first!.seq }), ['Blue Night Light'])
    assert.deepEqual(await namesOf(store, { host: 'shop.example', scraper: 'page', limit: 1 }), [
      'Night train',
    ])
    assert.deepEqual(await namesOf(store, { scraper: 'pag' }), [])
  })

  test('deleted records are not found', async () => {
    await using opened = await openWithThings(open)
    const { store } = opened
    assert.equal((await namesOf(store, { text: 'night' })).length, 2)

    await store.jobs.delete('job')
    assert.deepEqual(await namesOf(store, { text: 'night' }), [])
  })
}
