// The store contract for adding, finding and listing tasks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../src/lib/clocks.ts'
import {
  claim,
  commit,
  discoveryOf,
  failure,
  newJob,
  newTask,
  newTasks,
  numbersOf,
  type OpenStore,
  openWithJob,
  retryAt,
  settle,
  settlementOf,
} from './fixtures.ts'

const ingest = { source: 'rows.csv', done: false, rows: 0, blank: 0, rejected: 0, duplicates: 0 }

export function taskPromises(open: OpenStore): void {
  test('a task is returned as it was stored: pending and runnable', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    const given = newTask(-(2n ** 63n), {
      depth: 2,
      priority: 1.5,
      parent: 4,
      input: '{"a":1}',
      itemId: 'row-1',
    })
    await store.tasks.add('job', [given])

    const { key, ...rest } = given
    const fresh = {
      state: 'pending',
      attempt: 0,
      charged: 0,
      reason: null,
      message: null,
      notBefore: 0,
      duplicateOf: null,
      way: 'http',
      wayWhy: null,
    }
    const expected = { jobId: 'job', n: 1, ...rest, ...fresh }
    assert.deepEqual(await store.tasks.get('job', 1), expected)
    assert.deepEqual(await store.tasks.find('job', key), expected)
    assert.equal(await store.tasks.get('job', 2), null)
    assert.equal(await store.tasks.find('job', 5n), null)
    assert.equal(await store.tasks.find('unknown', key), null)
  })

  test('a job stores each task key once, in one batch or in several, and numbers new tasks', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened

    const first = await store.tasks.add('job', [newTask(1), newTask(2), newTask(1)])
    const second = await store.tasks.add('job', [newTask(2), newTask(3, { host: 'b.example' })])

    assert.deepEqual([first.added, first.duplicates], [2, 1])
    assert.deepEqual(second, { added: 1, duplicates: 1, hosts: new Map([['b.example', 1]]) })
    assert.deepEqual(
      (await store.tasks.list('job')).map(task => [task.n, task.url]),
      [
        [1, 'https://shop.example/1'],
        [2, 'https://shop.example/2'],
        [3, 'https://b.example/3'],
      ],
    )
  })

  test('two jobs may have a task with the same key', async () => {
    await using opened = await openWithJob(open, 2)
    const { added } = await opened.store.jobs.create(newJob('second'), newTasks(2))
    assert.equal(added, 2)
  })

  test('a batch and the read position of its source are stored together, and the store counts duplicates', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob('job', { ingest }), [])

    await store.tasks.add('job', [newTask(1), newTask(1)], { ...ingest, rows: 3, blank: 1 })
    await store.tasks.add('job', [newTask(1)], { ...ingest, rows: 4, blank: 1, duplicates: 1, done: true })

    const expected = { source: 'rows.csv', done: true, rows: 4, blank: 1, rejected: 0, duplicates: 2 }
    assert.deepEqual((await store.jobs.get('job'))?.ingest, expected)
  })

  test('rejected rows are stored once, with position and reason, and listed page by page', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    const rows = [3, 1, 2].map(row => ({ row, text: `line ${row}`, reason: 'no URL' }))
    await store.tasks.add('job', [], undefined, rows)
    await store.tasks.add('job', [], undefined, [
      rows[0]!,
      { row: 9, text: 'x'.repeat(500), reason: 'too long' },
    ])

    const page = await store.tasks.rejected('job', { limit: 2 })
    const rest = await store.tasks.rejected('job', { after: 2 })

    assert.deepEqual(
      page.map(({ row }) => row),
      [1, 2],
    )
    assert.deepEqual(
      rest.map(({ row, text }) => [row, text.length]),
      [
        [3, 6],
        [9, 200],
      ],
    )
  })

  test('tasks are listed by number and state, each once while more are added', async () => {
    await using opened = await openWithJob(open, 5)
    const { store, clock } = opened
    const [first, second] = await claim(store, clock, { limit: 2 })
    await settle(store, settlementOf(first!), failure(second!))
    const seen: number[] = []
    for (let after = 0; ; after = seen.at(-1)!) {
      const page = await store.tasks.list('job', { after, limit: 2 })
      if (page.length === 0) break
      seen.push(...numbersOf(page))
      if (seen.length < 8) await store.tasks.add('job', [newTask(100 + seen.length)])
    }

    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(seen).size, (await store.jobs.counts('job')).tasks)
    const ended = await store.tasks.list('job', { states: ['succeeded', 'failed'] })
    assert.deepEqual(numbersOf(ended), [1, 2])
    assert.deepEqual(numbersOf(await store.tasks.list('job', { states: ['failed'], after: 2 })), [])
  })

  test('hosts with runnable tasks are listed with counts; waiting and leased tasks are not counted', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    await store.tasks.add('job', [newTask(50, { host: 'b.example' })])
    const [retried, held] = await claim(store, clock, { limit: 2 })
    await settle(store, retryAt(retried!, clock.now() + 5_000))

    const hosts = (await store.tasks.pendingHosts('job')).toSorted((a, b) => (a.host < b.host ? -1 : 1))
    assert.deepEqual(hosts, [
      { host: 'b.example', count: 1 },
      { host: 'shop.example', count: 2 },
    ])
    assert.equal((await store.tasks.get('job', held!.n))?.state, 'in_progress')
  })

  test('a task is found under its aliases, and an alias belongs to one task', async () => {
    await using opened = await openWithJob(open, 2)
    const { store } = opened

    assert.equal(await store.tasks.alias('job', 77n, 1), null)
    assert.equal(await store.tasks.alias('job', 77n, 1), null)
    assert.equal(await store.tasks.alias('job', 77n, 2), 1)
    assert.equal(await store.tasks.alias('job', 1n, 2), 1)
    assert.equal((await store.tasks.find('job', 77n))?.n, 1)
    const { added } = await store.tasks.add('job', [newTask(77)])
    assert.equal(added, 0)
  })

  test('discovered tasks are stored once, in the commit of the page that links to them', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const found = newTask(8, { depth: 1, parent: 1, host: 'b.example' })
    const held = { jobId: 'job', n: 1, attempt: 1 }

    const { added } = await commit(store, {
      discovered: [
        discoveryOf(held, { tasks: [newTask(1), found, newTask(9)] }),
        discoveryOf({ ...held, n: 2 }, { tasks: [found] }),
        discoveryOf({ ...held, jobId: 'unknown' }, { tasks: [found] }),
      ],
    })

    assert.deepEqual(
      added.toSorted((a, b) => (a.host < b.host ? -1 : 1)),
      [
        { jobId: 'job', host: 'b.example', count: 1 },
        { jobId: 'job', host: 'shop.example', count: 1 },
      ],
    )
    const [task] = await claim(store, clock, { host: 'b.example' })
    assert.deepEqual([task?.url, task?.depth], ['https://b.example/8', 1])
    assert.equal((await store.tasks.get('job', task!.n))?.parent, 1)
  })

  test('a task with many megabytes of text in any script is stored unchanged', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    const input = JSON.stringify({ text: '日本語 𝒳 \u0000 \u2028'.repeat(100_000) })
    await store.tasks.add('job', [
      newTask(1, { input, url: 'https://xn--e1afmkfd.example/%F0%9F%98%80?q=😀' }),
    ])

    const task = await store.tasks.get('job', 1)
    assert.equal(task?.input, input)
    assert.equal(task?.url, 'https://xn--e1afmkfd.example/%F0%9F%98%80?q=😀')
  })
}
