// The store contract for sinks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../src/ports/store.ts'
import { claim, newRecord, type OpenStore, openWithJob, settle, settlementOf } from './fixtures.ts'

const sink = 'somewhere'

/** Creates tasks with one record each. */
async function openWithRecords(open: OpenStore, count: number) {
  const opened = await openWithJob(open, count)
  for (const task of await claim(opened.store, opened.clock, { limit: count }))
    await settle(opened.store, { ...settlementOf(task), records: [newRecord()] })
  return opened
}

const letterOf = (record: { jobId: string; n: number; index: number; seq: number }, reason: string) => ({
  ...{ jobId: record.jobId, n: record.n, index: record.index, seq: record.seq, reason },
  at: 7_000,
})

export function sinkPromises(open: OpenStore): void {
  test('a sink receives every record once, with its workspace, in the order of the record numbers', async () => {
    await using opened = await openWithRecords(open, 3)
    const { store } = opened
    const first = await store.sinks.next(sink, 2)
    assert.deepEqual(
      first.map(({ n, workspace, host, jobId }) => [n, workspace, host, jobId]),
      [
        [1, 'default', 'shop.example', 'job'],
        [2, 'default', 'shop.example', 'job'],
      ],
    )
    assert.deepEqual(
      await store.sinks.next(sink, 2),
      first,
      'records are returned again until the sink confirms them',
    )
    await store.sinks.advance(sink, first.at(-1)!.seq, [])
    const rest = await store.sinks.next(sink, 10)
    assert.deepEqual(
      rest.map(({ n }) => n),
      [3],
    )
    await store.sinks.advance(sink, rest[0]!.seq, [])
    await store.sinks.advance(sink, 1, [])
    assert.deepEqual(await store.sinks.next(sink, 10), [], 'the position of a sink never moves back')
    assert.equal((await store.sinks.next('elsewhere', 10)).length, 3, 'another sink has its own position')
  })

  test('a record that a sink refuses is stored as a dead letter with the reason, and can be sent again', async () => {
    await using opened = await openWithRecords(open, 2)
    const { store } = opened
    const records = await store.sinks.next(sink, 10)
    const dead = records.map(record => letterOf(record, 'no such field'))
    await store.sinks.advance(sink, records.at(-1)!.seq, dead)
    const letters = await store.sinks.deadLetters(sink)
    assert.deepEqual(
      letters.map(({ place, ...letter }) => letter),
      dead,
    )
    assert.deepEqual(await store.sinks.deadLetters(sink, { after: letters[0]!.place }), letters.slice(1))
    assert.deepEqual(await store.sinks.records(letters), records)
    const outcomes = letters.map(({ place }, index) => ({ place, reason: index === 0 ? null : 'still not' }))
    await store.sinks.settleDead(sink, outcomes, 9_000)
    const [left, ...more] = await store.sinks.deadLetters(sink)
    assert.deepEqual([left?.n, left?.reason, left?.at, more], [2, 'still not', 9_000, []])
  })

  test('a dead letter whose record was deleted has no record', async () => {
    await using opened = await openWithRecords(open, 1)
    const { store } = opened
    const [record] = await store.sinks.next(sink, 1)
    await store.sinks.advance(sink, record!.seq, [letterOf(record!, 'no')])
    await endAndDelete(store)
    assert.deepEqual(await store.sinks.records(await store.sinks.deadLetters(sink)), [])
  })
}

async function endAndDelete(store: Store): Promise<void> {
  await store.jobs.move('job', ['pending', 'running'], 'cancelled')
  await store.jobs.delete('job')
}
