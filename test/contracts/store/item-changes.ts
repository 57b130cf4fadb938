// The store contract for changes of job items: each is stored in the transaction of the change, while a follower exists.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { claim, failure, newTasks, type OpenStore, openWithJob, settle, settlementOf } from './fixtures.ts'

export function itemChangePromises(open: OpenStore): void {
  it('while a mirror follows item changes, the store records open jobs, new items, leases and outcomes', async () => {
    await using here = await openWithJob(open, 2)
    const { store, clock } = here
    const noted = async () => (await store.itemChanges.next(100)).map(({ n }) => n)
    assert.deepEqual(await noted(), [])
    await store.itemChanges.follow()
    await store.itemChanges.follow()
    assert.deepEqual(await noted(), [1, 2])
    await store.itemChanges.forget(await store.itemChanges.next(100))

    const held = await claim(store, clock)
    assert.deepEqual(await noted(), [1, 2])
    await store.itemChanges.forget(await store.itemChanges.next(1))
    assert.deepEqual(await noted(), [2])
    await store.itemChanges.forget(await store.itemChanges.next(100))

    await settle(store, settlementOf(held[0]!), failure(held[1]!))
    assert.deepEqual([...new Set(await noted())].sort(), [1, 2])
    const versions = (await store.itemChanges.next(100)).map(({ version }) => version)
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    )
    await store.itemChanges.forget(await store.itemChanges.next(100))

    await store.tasks.add('job', newTasks(3))
    assert.deepEqual(await noted(), [3])
    await store.itemChanges.forget(await store.itemChanges.next(100))
    await store.jobs.move('job', ['running'], 'paused')
    assert.deepEqual(await store.itemChanges.next(100).then(all => all.map(({ n, jobId }) => [n, jobId])), [
      [0, 'job'],
    ])
  })

  it('when a mirror stops following item changes, the store deletes the recorded changes and records no more', async () => {
    await using here = await openWithJob(open, 2)
    const { store, clock } = here
    await store.itemChanges.follow()
    await store.itemChanges.leave()
    await claim(store, clock)
    assert.deepEqual(await store.itemChanges.next(100), [])
  })
}
