// The store contract for jobs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../src/lib/clocks.ts'
import { jobMoves, jobStates } from '../../../src/model/job.ts'
import { taskStates } from '../../../src/model/task.ts'
import {
  claim,
  commit,
  discoveryOf,
  failure,
  newAttempt,
  newJob,
  newRecord,
  newTask,
  newTasks,
  type OpenStore,
  openWithJob,
  retryAt,
  settle,
  settlementOf,
} from './fixtures.ts'

export function jobPromises(open: OpenStore): void {
  test('a job is returned as it was stored: pending, and with its first tasks', async () => {
    await using store = await open(new FakeClock())
    const job = newJob('a.b-1', { kind: 'list', createdAt: 77 })

    const result = await store.jobs.create(job, [newTask(1), newTask(2, { host: 'other.example' })])

    const expected = {
      added: 2,
      duplicates: 0,
      hosts: new Map(Object.entries({ 'shop.example': 1, 'other.example': 1 })),
    }
    assert.deepEqual(result, expected)
    const fresh = { state: 'pending', reason: null, resumeAt: null, startedAt: null, finishedAt: null }
    const origin = { workspace: 'default', face: 'cli', keyId: null, scheduleId: null, traceparent: null }
    assert.deepEqual(await store.jobs.get('a.b-1'), { ...job, ...fresh, ...origin })
    assert.equal(await store.jobs.get('unknown'), null)
  })

  test('a job stores the trace of the request that created it', async () => {
    await using store = await open(new FakeClock())
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    await store.jobs.create(newJob('job', { origin: { traceparent } }), [])
    assert.equal((await store.jobs.get('job'))?.traceparent, traceparent)
    assert.equal((await store.jobs.list())[0]?.traceparent, traceparent)
  })

  test('a second job with the same id is refused and leaves nothing behind', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [newTask(1)])

    await assert.rejects(store.jobs.create(newJob(), [newTask(2)]), { code: 'job.exists' })

    assert.equal((await store.jobs.counts('job')).tasks, 1)
    assert.equal(await store.tasks.find('job', 2n), null)
  })

  test('a job changes its state only from one of the given states, and the call returns whether it did', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [])

    assert.equal(await store.jobs.move('job', ['paused'], 'running'), false)
    assert.equal(await store.jobs.move('job', ['paused', 'pending'], 'running'), true)
    assert.equal(await store.jobs.move('job', ['pending'], 'running'), false)
    assert.equal(await store.jobs.move('unknown', ['pending'], 'running'), false)
    assert.equal((await store.jobs.get('job'))?.state, 'running')
  })

  test('a job makes only the state transitions of the table', async () => {
    await using store = await open(new FakeClock())
    for (const to of jobStates) {
      const id = `to-${to}`
      await store.jobs.create(newJob(id), [])
      assert.equal(await store.jobs.move(id, jobStates, to), jobMoves.pending.includes(to), to)
    }
  })

  test('start and end are stored, and a reopened job has no end', async () => {
    const clock = new FakeClock(10_000)
    await using store = await open(clock)
    await store.jobs.create(newJob(), [])
    const times = async () => {
      const job = await store.jobs.get('job')
      return { startedAt: job?.startedAt, finishedAt: job?.finishedAt }
    }

    await store.jobs.move('job', ['pending'], 'running')
    assert.deepEqual(await times(), { startedAt: 10_000, finishedAt: null })
    await store.jobs.move('job', ['running'], 'failed', { at: 12_000 })
    assert.deepEqual(await times(), { startedAt: 10_000, finishedAt: 12_000 })
    await store.jobs.move('job', ['failed'], 'running', { at: 15_000 })
    assert.deepEqual(await times(), { startedAt: 10_000, finishedAt: null })
  })

  test('a job that runs again has no pause reason and no resume time', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [])
    await store.jobs.move('job', ['pending'], 'paused', { reason: 'breaker', resumeAt: 99_000 })
    const paused = await store.jobs.get('job')
    await store.jobs.move('job', ['paused'], 'running')
    const running = await store.jobs.get('job')

    assert.deepEqual([paused?.reason, paused?.resumeAt], ['breaker', 99_000])
    assert.deepEqual([running?.reason, running?.resumeAt], [null, null])
  })

  test('of two concurrent transitions of a job, one succeeds', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [])

    const moves = Array.from({ length: 5 }, () => store.jobs.move('job', ['pending'], 'running'))

    assert.equal((await Promise.all(moves)).filter(Boolean).length, 1)
  })

  test('jobs are listed newest first, by state, in pages, each once while new jobs are created', async () => {
    await using store = await open(new FakeClock())
    for (const id of ['a', 'b', 'c', 'd']) await store.jobs.create(newJob(id), [])
    await store.jobs.move('b', ['pending'], 'running')
    const ids = async (options: Parameters<typeof store.jobs.list>[0]) =>
      (await store.jobs.list(options)).map(job => job.id)

    assert.deepEqual(await ids({ limit: 2 }), ['d', 'c'])
    await store.jobs.create(newJob('e'), [])
    assert.deepEqual(await ids({ limit: 2, cursor: 'c' }), ['b', 'a'])
    assert.deepEqual(await ids({ cursor: 'a' }), [])
    assert.deepEqual(await ids({ states: ['running'] }), ['b'])
    assert.deepEqual(await ids({ states: [] }), [])
  })

  test('browser time is counted, including that of failed attempts', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    const [a, b, c] = await claim(store, clock)
    const browser = { way: 'browser', startedAt: 1_000 } as const
    await commit(store, {
      settlements: [
        settlementOf(a!, { history: newAttempt(1, { ...browser, endedAt: 3_500 }) }),
        { ...failure(b!), history: newAttempt(1, { ...browser, endedAt: 1_250 }) },
        settlementOf(c!),
      ],
    })

    const { browserMs, rendered } = await store.jobs.counts('job')
    assert.deepEqual({ browserMs, rendered }, { browserMs: 2_750, rendered: 1 })
  })

  test('counts match the tasks after every kind of transition', async () => {
    await using opened = await openWithJob(open, 6)
    const { store, clock } = opened
    const [a, b, c, d] = await claim(store, clock, { limit: 4 })
    await commit(store, {
      settlements: [
        settlementOf(a!, { records: [newRecord(0), newRecord(1)], warnings: { 'content.empty': 2 } }),
        failure(b!),
        retryAt(c!, clock.now() + 1_000),
      ],
      discovered: [discoveryOf(a!, { tasks: [newTask(1), newTask(100)], refused: { 'scope.refused': 4 } })],
    })
    await commit(store, { discovered: [discoveryOf(a!, { refused: { 'scope.refused': 1 } })] })

    assert.deepEqual(await store.jobs.counts('job'), {
      tasks: 7,
      records: 2,
      bytes: 300,
      pages: 1,
      byState: { pending: 4, queued: 0, in_progress: 1, succeeded: 1, failed: 1, skipped: 0, cancelled: 0 },
      byReason: { ok: 1, 'http.not-found': 1 },
      exactlyParsed: 0,
      rendered: 0,
      browserMs: 0,
      llmTokens: 0,
      linksRefused: { 'scope.refused': 5 },
      warnings: { 'content.empty': 2 },
    })

    await store.tasks.release('worker-1', [d!])
    await store.tasks.endPending('job', 'cancelled', 'job.cancelled')
    await store.tasks.reopen('job', ['failed'])
    const counts = await store.jobs.counts('job')
    assert.deepEqual(counts.byReason, { ok: 1, 'job.cancelled': 5 })
    const listed = await store.tasks.list('job')
    for (const state of taskStates)
      assert.equal(counts.byState[state], listed.filter(task => task.state === state).length, state)
  })

  test('sitemaps that succeed are not counted as pages', async () => {
    await using opened = await openWithJob(open, 0)
    const { store, clock } = opened
    await store.tasks.add('job', [newTask(1, { kind: 'sitemap' }), newTask(2)])
    await settle(store, ...(await claim(store, clock)).map(task => settlementOf(task)))

    const counts = await store.jobs.counts('job')
    assert.deepEqual([counts.pages, counts.byState.succeeded], [1, 2])
  })

  test('a deleted job is gone with all its data, and a new job can use its id', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    await store.jobs.create(newJob('other'), newTasks(2))
    const [task, held] = await claim(store, clock, { limit: 2 })
    await settle(
      store,
      settlementOf(task!, { records: [newRecord()], identity: { canonical: 7n, content: 8n } }),
    )
    await store.outputs.save('job', { path: 'out.jsonl', format: 'jsonl', seq: 1, bytes: 9, done: false })
    await store.tasks.add('job', [], undefined, [{ row: 1, text: 'x', reason: 'no URL' }])
    await store.requests.leave({ jobId: 'job', kind: 'pause', at: 1 })

    await store.jobs.delete('job')

    assert.equal(await store.jobs.get('job'), null)
    assert.deepEqual((await settle(store, settlementOf(held!))).lost, [{ jobId: 'job', n: held!.n }])
    assert.deepEqual(await store.requests.take(), [])
    await store.jobs.create(newJob(), newTasks(1))
    assert.deepEqual(await store.records.list('job', { after: 0, limit: 10 }), [])
    assert.deepEqual(await store.tasks.attempts('job', 1), [])
    assert.deepEqual(await store.outputs.list('job'), [])
    assert.deepEqual(await store.tasks.rejected('job'), [])
    assert.equal((await store.jobs.counts('job')).tasks, 1)
    assert.equal((await store.jobs.counts('other')).tasks, 2)
  })

  test('if two callers delete a job at once, both succeed', async () => {
    await using opened = await openWithJob(open, 1)
    const { store } = opened
    // Opens two connections first, so that both callers delete at the same time.
    await Promise.all([store.jobs.list(), store.jobs.list()])
    await Promise.all([store.jobs.delete('job'), store.jobs.delete('job')])
    assert.equal(await store.jobs.get('job'), null)
  })

  test('a query for a missing job fails with not found', async () => {
    await using store = await open(new FakeClock())
    const unknown = { code: 'job.unknown' }
    await assert.rejects(store.jobs.counts('nowhere'), unknown)
    await assert.rejects(store.tasks.add('nowhere', [newTask(1)]), unknown)
    await assert.rejects(store.tasks.endPending('nowhere', 'cancelled', 'job.cancelled'), unknown)
    await assert.rejects(store.jobs.list({ cursor: 'nowhere' }), unknown)
  })
}
