// The store contract for the erasure of a host.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { erasedPlace } from '../../../src/model/erasure.ts'
import {
  claim,
  newAttempt,
  newJob,
  newRecord,
  newTask,
  type OpenStore,
  openWithJob,
  settle,
  settlementOf,
} from './fixtures.ts'

const gone = { text: 'gone.example', fits: (host: string) => host === 'gone.example' }
const page = { after: 0, limit: 100 }

/** A job with tasks on two hosts. One page of the second host redirects to the first. */
async function openWithHosts(open: OpenStore) {
  const opened = await openWithJob(open, 0)
  const { store, clock } = opened
  await store.tasks.add('job', [
    newTask(1, { host: 'gone.example', itemId: 'item-1', input: '{"of":"someone"}' }),
    newTask(2, { host: 'stays.example' }),
    newTask(3, { host: 'stays.example' }),
    newTask(4, { host: 'notgone.example' }),
  ])
  const raw = { key: 'jobs/job/segments/a.warc.gz', offset: 10, length: 20 }
  for (const host of ['gone.example', 'stays.example', 'notgone.example'])
    for (const task of await claim(store, clock, { host })) {
      const finalUrl = task.n === 3 ? 'https://gone.example/landed' : task.url
      const history = newAttempt(task.attempt, { raw, message: `of ${task.url}` })
      await settle(store, settlementOf(task, { records: [newRecord(0, { finalUrl })], history }))
    }
  return opened
}

export function erasurePromises(open: OpenStore): void {
  test('an erasure finds the tasks of the host, and tasks whose records came from the host after a redirect', async () => {
    await using opened = await openWithHosts(open)
    const { erasure } = opened.store
    assert.deepEqual(await erasure.jobsOf(gone), [{ jobId: 'job', open: 0 }])
    const { tasks, after } = await erasure.tasksOf('job', gone, page)
    assert.deepEqual(tasks, [
      { n: 1, itemId: 'item-1', records: 1 },
      { n: 3, itemId: null, records: 1 },
    ])
    assert.equal(after, null)
    const first = await erasure.tasksOf('job', gone, { after: 0, limit: 1 })
    const second = await erasure.tasksOf('job', gone, { after: first.after!, limit: 1 })
    assert.deepEqual([first.tasks[0]?.n, second.tasks[0]?.n], [1, 3])
  })

  test('an erased task has no URL, record or page; the counts are right, and other tasks are unchanged', async () => {
    await using opened = await openWithHosts(open)
    const { store } = opened
    const before = await store.jobs.counts('job')
    await store.erasure.blankTasks('job', [1, 3])
    const task = await store.tasks.get('job', 1)
    assert.equal(task?.url, erasedPlace.url)
    assert.equal(task?.host, erasedPlace.host)
    assert.deepEqual([task?.input, task?.itemId, task?.state], [null, null, 'succeeded'])
    const [attempt] = await store.tasks.attempts('job', 1)
    assert.deepEqual([attempt?.raw, attempt?.message], [null, null])
    const left = await store.records.list('job', { after: 0, limit: 10 })
    assert.deepEqual(
      left.map(({ n }) => n),
      [2, 4],
    )
    const counts = await store.jobs.counts('job')
    assert.equal(counts.records, before.records - 2)
    assert.deepEqual(counts.byState, before.byState)
    assert.deepEqual((await store.erasure.tasksOf('job', gone, page)).tasks, [])
    assert.ok((await store.tasks.attempts('job', 2))[0]?.raw)
  })

  test('the open tasks of the host are reported, so that an erasure can wait for them', async () => {
    await using opened = await openWithHosts(open)
    const { store } = opened
    await store.tasks.add('job', [newTask(9, { host: 'gone.example' })])
    assert.deepEqual(await store.erasure.jobsOf(gone), [{ jobId: 'job', open: 1 }])
  })

  test('the erasure deletes robots.txt and state of the host, and webhooks and rejected rows that name it', async () => {
    await using opened = await openWithHosts(open)
    const { store } = opened
    const robots = {
      fetchedAt: 1,
      expiresAt: 2,
      verdict: 'parsed' as const,
      status: 200,
      body: '',
      failures: 0,
    }
    for (const origin of ['https://gone.example', 'https://stays.example'])
      await store.hosts.keepRobots({ origin, ...robots })
    await store.tasks.add('job', [], undefined, [
      { row: 1, text: 'https://gone.example/ x', reason: 'bad' },
      { row: 2, text: 'https://notgone.example/ x', reason: 'bad' },
    ])
    const told = (id: string, body: string) => ({
      ...{ id, event: 'job.ended' as const, url: 'https://hook.example/', createdAt: 1, body },
    })
    await store.jobs.create(newJob('teller'), [])
    await store.outbox.enter('teller', [
      told('w1', '{"of":"gone.example"}'),
      told('w2', '{"of":"notgone.example"}'),
    ])
    const counted = await store.erasure.forgetHost(gone, { dryRun: true })
    assert.deepEqual(counted, { robots: 1, hosts: 0, webhooks: 1, rejected: 1 })
    assert.deepEqual(await store.erasure.forgetHost(gone, { dryRun: false }), counted)
    assert.equal(await store.hosts.robots('https://gone.example'), null)
    assert.ok(await store.hosts.robots('https://stays.example'))
    assert.equal((await store.tasks.rejected('job')).length, 1)
    assert.equal(await store.outbox.get('w1'), null)
    assert.ok(await store.outbox.get('w2'))
    const paced = await store.hosts.paces('job', 10)
    assert.ok(paced.every(({ host }) => host !== 'gone.example'))
    await store.erasure.scrub()
    assert.equal((await store.records.list('job', { after: 0, limit: 10 })).length, 4)
  })
}
