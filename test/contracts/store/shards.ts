// The store contract for several coordinators that share its jobs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../src/lib/clocks.ts'
import { shardOf } from '../../../src/lib/shard-of.ts'
import {
  claim,
  newJob,
  newTask,
  newTasks,
  type OpenStore,
  openWithJob,
  retryAt,
  settle,
  settlementOf,
} from './fixtures.ts'

const hosts = Array.from({ length: 12 }, (_, index) => `host-${index}.example`)
const count = 3
const shards = Array.from({ length: count }, (_, index) => ({ index, count }))

export function shardPromises(open: OpenStore): void {
  test('each shard gets only its own hosts, and all shards together get every host', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(
      newJob(),
      hosts.map((host, index) => newTask(index + 1, { host })),
    )
    const told = await Promise.all(shards.map(shard => store.tasks.pendingHosts('job', shard)))
    for (const [index, own] of told.entries())
      assert.ok(own.every(({ host }) => shardOf(host, count) === index))
    assert.deepEqual(
      told
        .flat()
        .map(({ host }) => host)
        .sort(),
      hosts.toSorted(),
    )
  })

  test('a shard resumes only the retries of its own hosts', async () => {
    await using store = await open(new FakeClock())
    const clock = new FakeClock()
    await store.jobs.create(
      newJob(),
      hosts.map((host, index) => newTask(index + 1, { host })),
    )
    for (const host of hosts) {
      const [task] = await claim(store, clock, { host, limit: 1 })
      await settle(store, retryAt(task!, 5_000))
    }
    for (const shard of shards) {
      const woken = await store.tasks.wake(5_000, shard)
      assert.deepEqual(
        woken.map(({ host }) => host).sort(),
        hosts.filter(host => shardOf(host, count) === shard.index).sort(),
      )
    }
    assert.equal(await store.tasks.nextWake(), null)
  })

  test('the list of open jobs has only a few fields per job, oldest jobs first', async () => {
    await using store = await open(new FakeClock())
    for (const id of ['one', 'two', 'three']) await store.jobs.create(newJob(id), [])
    await store.jobs.move('one', ['pending'], 'running')
    await store.jobs.move('two', ['pending'], 'cancelled')
    await store.jobs.move('three', ['pending'], 'paused', { reason: 'user' })
    assert.deepEqual(await store.jobs.unended(), [
      { id: 'one', state: 'running', reason: null },
      { id: 'three', state: 'paused', reason: 'user' },
    ])
    assert.deepEqual(await store.jobs.brief('three'), {
      ...{ id: 'three', state: 'paused', reason: 'user', traceparent: null },
    })
    assert.equal(await store.jobs.brief('unknown'), null)
  })

  test('the pages reserved by shards and the succeeded pages together never exceed max_pages', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    const setAside = (of: number, ahead: number, held = 0) =>
      store.jobs.setAside('job', { of, among: 3, held, ahead, most: 10 })
    assert.equal(await setAside(0, 6), 6)
    assert.equal(await setAside(1, 6), 4)
    assert.equal(await setAside(2, 1), 0)
    const [task] = await claim(store, clock, { limit: 1 })
    await settle(store, settlementOf(task!))
    assert.equal(await setAside(0, 6), 5, 'one page is done')
    assert.equal(await setAside(1, 0), 0)
    assert.equal(await setAside(2, 9), 4)
    assert.deepEqual((await store.jobs.counts('job')).linksRefused, {})
    const alone = await store.jobs.setAside('job', { of: 0, among: 1, held: 0, ahead: 99, most: 10 })
    assert.equal(alone, 9, 'reservations of shards that no longer exist do not count')
  })

  test('the reservation for a task in flight stays, even if pages of other shards are counted twice for a while', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    const setAside = (of: number, held: number, ahead: number) =>
      store.jobs.setAside('job', { of, among: 2, held, ahead, most: 4 })
    assert.equal(await setAside(0, 0, 2), 2)
    assert.equal(await setAside(1, 0, 2), 2)
    for (const task of await claim(store, clock, { limit: 2 })) await settle(store, settlementOf(task))
    assert.equal(await setAside(1, 2, 8), 2, 'pages of shard 0 count twice: as succeeded and as reserved')
    assert.equal(await setAside(0, 0, 8), 0, 'shard 1 has two pages in flight')
  })

  test('the tokens that several lanes reserve at once stay within the limit', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), newTasks(1))
    const asked = Array.from({ length: 6 }, () => store.jobs.spend('job', 300, 1_000))
    assert.equal((await Promise.all(asked)).filter(Boolean).length, 3)
    assert.equal((await store.jobs.counts('job')).llmTokens, 900)
    await store.jobs.spend('job', -250)
    assert.ok(await store.jobs.spend('job', 300, 1_000))
  })

  test('pages that shards reserve concurrently do not exceed max_pages', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), newTasks(1))
    const had = await Promise.all(
      Array.from({ length: 5 }, (_, of) =>
        store.jobs.setAside('job', { of, among: 5, held: 0, ahead: 3, most: 10 }),
      ),
    )
    assert.equal(
      had.reduce((sum, pages) => sum + pages, 0),
      10,
    )
  })
}
