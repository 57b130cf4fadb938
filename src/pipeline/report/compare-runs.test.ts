// Tests the comparison of two runs: new, changed, unchanged and missing records, page by page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  claim,
  failure,
  newJob,
  newRecord,
  newTask,
  settle,
  settlementOf,
} from '../../../test/contracts/store/fixtures.ts'
import { openTemporaryStore } from '../../../test/support/temporary-store.ts'
import { urlKey } from '../../frontier/canonical-url.ts'
import { FakeClock } from '../../lib/clocks.ts'
import { KeyTable } from '../../lib/collections/key-table.ts'
import type { Job } from '../../model/job.ts'
import type { Difference } from '../../model/schedule.ts'
import type { Store } from '../../ports/store.ts'
import { type Compared, comparedAfter, compareRuns } from './compare-runs.ts'

const urlOf = (name: string): string => `https://shop.example/${name}`

/** A run that found these pages. A page that failed is null. */
async function run(
  store: Store,
  clock: FakeClock,
  id: string,
  pages: Record<string, object | null>,
): Promise<Job> {
  clock.advance(60_000)
  const names = Object.keys(pages)
  const tasks = names.map(name => newTask(urlKey(urlOf(name)), { url: urlOf(name) }))
  await store.jobs.create(newJob(id), tasks)
  const fetchedAt = clock.now()
  for (const task of await claim(store, clock, { jobId: id })) {
    const page = pages[task.url.slice(urlOf('').length)]
    const data = JSON.stringify({ ...page, fetched_at: new Date(fetchedAt).toISOString() })
    await settle(
      store,
      page ? settlementOf(task, { records: [newRecord(0, { data, fetchedAt })] }) : failure(task),
    )
  }
  return (await store.jobs.get(id)) as Job
}

const brief = ({ difference, url, fields, reason }: Compared): string =>
  [difference, url.slice(urlOf('').length), ...(fields ?? []), reason].filter(Boolean).join(' ')

async function listed(
  store: Store,
  [from, to]: Job[],
  { limit = 100, wants = ['new', 'changed', 'unchanged', 'gone'] as Difference[] } = {},
) {
  const comparison = await compareRuns(store, from!, to!)
  const items: Compared[] = []
  let place: { run: 'to' | 'from'; index: number } | null = { run: 'to', index: 0 }
  while (place) {
    const page = await comparedAfter(store, comparison, place, { limit, wants: new Set(wants) })
    assert.ok(page.found.length <= limit)
    items.push(...page.found)
    place = page.place
  }
  return { counts: comparison.counts, items }
}

test('new, changed, unchanged and missing records are found by page and content', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const before = await run(store, clock, 'before', { a: { price: 1 }, b: { price: 2 }, c: {}, d: {} })
  const after = await run(store, clock, 'after', { e: {}, b: { price: 3 }, a: { price: 1 }, d: null })
  const { counts, items } = await listed(store, [before, after], { limit: 2 })

  assert.deepEqual(counts, { new: 1, changed: 1, unchanged: 1, gone: 2 })
  assert.deepEqual(items.map(brief), [
    'new e',
    'changed b price',
    'unchanged a',
    'gone c',
    'gone d http.not-found',
  ])
  const changed = items[1]!
  assert.deepEqual([changed.before?.price, changed.after?.price], [2, 3])
  const only = await listed(store, [before, after], { wants: ['gone', 'new'], limit: 1 })
  assert.deepEqual(only.items.map(brief), ['new e', 'gone c', 'gone d http.not-found'])
})

test('a run compared with itself has no changes, and the counts of any two runs add up to the number of records', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const pages = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.record({ price: fc.nat(2) }))
  let count = 0
  await fc.assert(
    fc.asyncProperty(pages, pages, async (one, other) => {
      count += 1
      const from = await run(store, clock, `from-${count}`, one)
      const to = await run(store, clock, `to-${count}`, other)
      const { counts } = await listed(store, [from, to])
      assert.equal(counts.unchanged + counts.changed + counts.gone, Object.keys(one).length)
      assert.equal(counts.unchanged + counts.changed + counts.new, Object.keys(other).length)
      const same = await listed(store, [from, from])
      assert.deepEqual(same.counts, { new: 0, changed: 0, unchanged: Object.keys(one).length, gone: 0 })
    }),
    { numRuns: 15 },
  )
})

test('a key table finds exactly the added keys, in order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), keys => {
      const table = new KeyTable(keys.length)
      const [missing, ...added] = keys
      for (const [index, key] of added.entries()) assert.equal(table.add(key), index)
      for (const [index, key] of added.entries()) {
        assert.equal(table.find(key), index)
        assert.equal(table.add(key), null)
      }
      if (missing !== undefined) assert.equal(table.find(missing), null)
    }),
  )
})
