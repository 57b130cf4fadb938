// The store contract for leases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  claim,
  commit,
  discoveryOf,
  failure,
  leaseMs,
  newAttempt,
  newJob,
  newRecord,
  newTask,
  newTasks,
  numbersOf,
  type OpenStore,
  openWithJob,
  owner,
  retryAt,
  settle,
  settlementOf,
} from './fixtures.ts'

export function leasePromises(open: OpenStore): void {
  test('a claimed task has the number of its attempt and all data that its worker needs', async () => {
    await using opened = await openWithJob(open, 0)
    const { store, clock } = opened
    await store.tasks.add('job', [
      newTask(1, { kind: 'sitemap', depth: 3, priority: 2, input: '{}', itemId: 'i' }),
    ])

    const [task] = await claim(store, clock, { state: 'queued' })

    assert.deepEqual(task, {
      jobId: 'job',
      n: 1,
      attempt: 1,
      charged: 0,
      kind: 'sitemap',
      url: 'https://shop.example/1',
      host: 'shop.example',
      depth: 3,
      priority: 2,
      input: '{}',
      itemId: 'i',
      way: 'http',
      wayWhy: null,
    })
    assert.equal((await store.tasks.get('job', 1))?.state, 'queued')
  })

  test('a task with its own policy is claimed and listed with this policy', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const policy = JSON.stringify({ retries: { attempts: 7 } })
    await store.tasks.add('job', [newTask(2, { policy })])

    const claimed = await claim(store, clock)

    assert.deepEqual(
      claimed.map(task => task.policy),
      [undefined, policy],
    )
    assert.equal((await store.tasks.get('job', 2))?.policy, policy)
  })

  test('a task that moves to the browser is claimed with that fetch mode, and its earlier attempt is not counted', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [task, other] = await claim(store, clock)
    const next = { way: 'browser', why: '#app is empty' } as const
    const sent = { state: 'pending', reason: 'render.needed', charged: false, next } as const

    await settle(store, settlementOf(task!, sent), settlementOf(other!))

    const [again] = await claim(store, clock)
    assert.deepEqual(
      [again?.n, again?.attempt, again?.charged, again?.way, again?.wayWhy],
      [1, 2, 0, 'browser', '#app is empty'],
    )
    const known = await store.tasks.get('job', 1)
    assert.deepEqual(
      [known?.way, known?.wayWhy, known?.reason],
      ['browser', '#app is empty', 'render.needed'],
    )
    assert.equal((await store.tasks.get('job', 2))?.way, 'http')

    const artifacts = [
      {
        name: 'screenshot',
        fileName: 'screenshot.png',
        type: 'image/png',
        bytes: 3,
        key: 'jobs/job/artifacts/1/screenshot.png',
      },
    ]
    const history = newAttempt(2, { way: 'browser', artifacts })
    const records = [newRecord(0, { way: '{"way":"browser"}' })]
    await settle(store, settlementOf(again!, { history, records }))

    const attempts = await store.tasks.attempts('job', 1)
    assert.deepEqual(
      attempts.map(attempt => attempt.way),
      ['http', 'browser'],
    )
    assert.deepEqual(attempts[1]?.artifacts, artifacts)
    assert.equal((await store.records.ofTask('job', 1))[0]?.way, '{"way":"browser"}')
    const { rendered, pages } = await store.jobs.counts('job')
    assert.deepEqual([rendered, pages], [1, 2])
  })

  test('tasks are claimed by priority, then by number, up to the requested count per host', async () => {
    await using opened = await openWithJob(open, 0)
    const { store, clock } = opened
    await store.tasks.add('job', [
      newTask(1, { priority: 5 }),
      newTask(2, { priority: 0.5 }),
      newTask(3, { priority: 0.5 }),
      newTask(4, { priority: -1 }),
      newTask(5, { host: 'b.example' }),
      newTask(6, { host: 'c.example' }),
    ])
    const claims = [
      { jobId: 'job', host: 'shop.example', limit: 3 },
      { jobId: 'job', host: 'b.example', limit: 9 },
      { jobId: 'job', host: 'c.example', limit: 0 },
      { jobId: 'job', host: 'nobody.example', limit: 9 },
      { jobId: 'unknown', host: 'b.example', limit: 9 },
    ]

    const lease = { owner, untilMs: clock.now() + leaseMs, state: 'in_progress' } as const
    assert.deepEqual(numbersOf(await store.tasks.claim(claims, lease)), [4, 2, 3, 5])
    assert.deepEqual(numbersOf(await claim(store, clock)), [1])
  })

  test('however many workers claim tasks at once, no two workers get the same task', async () => {
    await using opened = await openWithJob(open, 50)
    const { store, clock } = opened

    const claims = Array.from({ length: 20 }, (_, i) => claim(store, clock, { owner: `w${i}`, limit: 7 }))

    const numbers = numbersOf((await Promise.all(claims)).flat())
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      newTasks(50).map((_, i) => i + 1),
    )
  })

  test('if a settlement is lost, its links are neither stored nor counted, and repeated work counts once', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [task, other] = await claim(store, clock)
    const refused = { 'scope.refused': 3 } as const
    const twice = {
      settlements: [settlementOf(task!), settlementOf(task!)],
      discovered: [discoveryOf(task!, { refused }), discoveryOf(task!, { refused })],
    }
    const stranger = {
      owner: 'worker-2',
      settlements: [settlementOf(other!)],
      discovered: [discoveryOf(other!, { tasks: [newTask(100)], refused })],
    }

    await commit(store, twice)
    await commit(store, twice)
    const { added } = await commit(store, stranger)

    assert.deepEqual(added, [])
    assert.deepEqual((await store.jobs.counts('job')).linksRefused, refused)
    assert.deepEqual(numbersOf(await store.tasks.list('job')), [1, 2])
  })

  test('a settlement by another owner or for another attempt writes nothing and is returned as lost', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [task, good] = await claim(store, clock)
    const records = [newRecord()]
    const wrongAttempt = settlementOf({ ...task!, attempt: 2 }, { records })
    const neverClaimed = settlementOf({ jobId: 'job', n: 99, attempt: 1 }, { records })

    const { lost } = await settle(store, wrongAttempt, neverClaimed, settlementOf(good!, { records }))
    const byAnother = await store.commit({
      owner: 'worker-2',
      settlements: [settlementOf(task!, { records })],
      discovered: [],
      hosts: [],
    })

    assert.deepEqual(numbersOf(lost), [1, 99])
    assert.deepEqual(numbersOf(byAnother.lost), [1])
    assert.equal((await store.tasks.get('job', 1))?.state, 'in_progress')
    assert.deepEqual(await store.tasks.attempts('job', 1), [])
    assert.equal((await store.jobs.counts('job')).records, 1)
  })

  test('a task can be settled once, and a second settlement is returned as lost', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [task] = await claim(store, clock)
    const settlement = settlementOf(task!, { records: [newRecord()] })

    const first = await settle(store, settlement, settlement)
    const second = await settle(store, settlement)

    assert.deepEqual([first.lost.length, second.lost.length], [1, 1])
    assert.equal((await store.records.ofTask('job', 1)).length, 1)
  })

  test('a released task is pending at once, its attempt is not counted, and its old owner cannot settle it', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [task] = await claim(store, clock)
    await store.tasks.release('somebody-else', [task!])
    assert.equal((await store.tasks.get('job', 1))?.state, 'in_progress')

    await store.tasks.release(owner, [task!, { jobId: 'unknown', n: 1, attempt: 1 }])

    assert.deepEqual((await settle(store, settlementOf(task!))).lost, [{ jobId: 'job', n: 1 }])
    const [again] = await claim(store, clock)
    assert.deepEqual([again?.n, again?.attempt, again?.charged], [1, 2, 0])
  })

  test('a task with an expired lease returns to pending; a task with an extended lease does not', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [slow] = await claim(store, clock, { owner: 'slow', limit: 1 })
    await claim(store, clock, { owner: 'alive', limit: 1 })
    clock.advance(leaseMs)
    await store.tasks.extend('alive', clock.now() + leaseMs)
    await store.tasks.extend('nobody', clock.now() + leaseMs)

    const returned = await store.tasks.reclaim({ now: clock.now(), poisonAfter: 3 })

    assert.deepEqual(returned, [{ jobId: 'job', host: 'shop.example', count: 1 }])
    const task = await store.tasks.get('job', slow!.n)
    assert.deepEqual([task?.state, task?.reason, task?.charged], ['pending', 'lease.lost', 0])
    const [attempt] = await store.tasks.attempts('job', slow!.n)
    assert.deepEqual([attempt?.attempt, attempt?.outcome, attempt?.worker], [1, 'lease.lost', 'slow'])
    assert.equal(attempt?.endedAt, clock.now())
    assert.deepEqual(await store.tasks.reclaim({ now: clock.now(), poisonAfter: 3 }), [])
  })

  test('extending a lease never makes it shorter', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    await claim(store, clock)
    await store.tasks.extend(owner, clock.now() + 1)

    assert.deepEqual(await store.tasks.reclaim({ now: clock.now() + 2, poisonAfter: 3 }), [])
  })

  test('a lease is valid until its last millisecond', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    await claim(store, clock)
    const untilMs = clock.now() + leaseMs

    assert.deepEqual(await store.tasks.reclaim({ now: untilMs - 1, poisonAfter: 3 }), [])
    assert.equal((await store.tasks.reclaim({ now: untilMs, poisonAfter: 3 })).length, 1)
  })

  test('after a restart, tasks of other owners return to pending at once, and tasks of the new owner stay', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    await claim(store, clock, { owner: 'dead', limit: 2, state: 'queued' })
    const now = clock.now()
    const beforeAnyClaim = await store.tasks.reclaim({ now, exceptOwner: 'new', poisonAfter: 5 })
    const mine = await claim(store, clock, { owner: 'new', limit: 1 })
    const afterIt = await store.tasks.reclaim({ now, exceptOwner: 'new', poisonAfter: 5 })

    assert.deepEqual(beforeAnyClaim, [{ jobId: 'job', host: 'shop.example', count: 2 }])
    assert.deepEqual(afterIt, [])
    assert.equal((await store.tasks.get('job', mine[0]!.n))?.state, 'in_progress')
  })

  test('a task whose owners die again and again fails as poison, and other tasks do not', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    for (let death = 1; death <= 3; death += 1) {
      const [task] = await claim(store, clock)
      assert.equal(task?.attempt, death)
      clock.advance(leaseMs)
      const returned = await store.tasks.reclaim({ now: clock.now(), poisonAfter: 3 })
      assert.equal(returned.length, death < 3 ? 1 : 0)
    }

    const task = await store.tasks.get('job', 1)
    assert.deepEqual([task?.state, task?.reason], ['failed', 'task.poison'])
    assert.equal((await store.tasks.attempts('job', 1)).length, 3)
    assert.equal((await store.jobs.counts('job')).byReason['task.poison'], 1)
    assert.deepEqual(await claim(store, clock), [])
  })

  test('a retry can be claimed at its time and not before', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [task] = await claim(store, clock, { limit: 1 })
    const due = clock.now() + 4_000
    await settle(store, retryAt(task!, due, { message: 'no answer' }))

    const waiting = await store.tasks.get('job', 1)
    assert.deepEqual([waiting?.state, waiting?.notBefore, waiting?.reason], ['pending', due, 'fetch.timeout'])
    assert.deepEqual([waiting?.charged, waiting?.message], [1, 'no answer'])
    assert.deepEqual(numbersOf(await claim(store, clock)), [2])
    assert.deepEqual([await store.tasks.nextWake(), await store.tasks.nextWake('job')], [due, due])
    assert.deepEqual(await store.tasks.wake(due - 1), [])
    assert.deepEqual(await store.tasks.wake(due), [{ jobId: 'job', host: 'shop.example', count: 1 }])
    assert.equal(await store.tasks.nextWake(), null)
    const [again] = await claim(store, clock)
    assert.deepEqual([again?.attempt, again?.charged], [2, 1])
  })

  test('the next retry time is the earliest of any job, or of the given job', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    await store.jobs.create(newJob('late'), newTasks(2))
    const [early] = await claim(store, clock)
    const [late, later] = await claim(store, clock, { jobId: 'late' })
    await settle(store, retryAt(early!, 5_000), retryAt(later!, 9_000), retryAt(late!, 7_000))

    assert.equal(await store.tasks.nextWake(), 5_000)
    assert.equal(await store.tasks.nextWake('late'), 7_000)
    assert.equal(await store.tasks.nextWake('unknown'), null)
    assert.equal((await store.tasks.wake(8_000)).length, 2)
    assert.equal(await store.tasks.nextWake('job'), null)
  })

  test('a task is settled as usual if its job has the id of a deleted job', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [before] = await claim(store, clock)
    await settle(store, settlementOf(before!))
    await store.jobs.move('job', ['running'], 'cancelled')
    await store.jobs.delete('job')

    await store.jobs.create(newJob(), newTasks(1))
    await store.jobs.move('job', ['pending'], 'running')
    const [task] = await claim(store, clock)
    const { lost } = await settle(store, settlementOf(task!))

    assert.deepEqual(lost, [])
    assert.equal((await store.tasks.get('job', 1))?.state, 'succeeded')
  })

  test('a retry that is not counted leaves the number of counted attempts unchanged', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [task] = await claim(store, clock)
    await settle(store, retryAt(task!, 0, { reason: 'host.throttled', charged: false }))

    const [again] = await claim(store, clock)
    assert.deepEqual([again?.attempt, again?.charged], [2, 0])
  })

  test('every attempt is stored with its times, outcome, worker, proxy and raw bytes', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [first] = await claim(store, clock)
    const failed = newAttempt(1, { outcome: 'connection.lost', status: null, message: 'reset', proxy: 'p1' })
    await settle(store, retryAt(first!, 0, { history: failed }))
    const [second] = await claim(store, clock)
    const raw = { key: 'segments/a-000001.warc.gz', offset: 12, length: 34 }
    await settle(store, settlementOf(second!, { history: newAttempt(2, { raw }) }))

    assert.deepEqual(await store.tasks.attempts('job', 1), [failed, newAttempt(2, { raw })])
    assert.deepEqual(
      await store.tasks.attemptsOf('job', [1, 2]),
      new Map([[1, [failed, newAttempt(2, { raw })]]]),
    )
    assert.deepEqual(await store.tasks.rawKeys('job'), [raw.key])
  })

  test('ending the pending tasks of a job, or of one host, includes waiting retries but not leased tasks', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    await store.tasks.add('job', [newTask(50, { host: 'b.example' })])
    const [waiting, held] = await claim(store, clock, { limit: 2 })
    await settle(store, retryAt(waiting!, clock.now() + 5_000))

    assert.equal(await store.tasks.endPending('job', 'skipped', 'host.denied', { host: 'b.example' }), 1)
    assert.equal(await store.tasks.endPending('job', 'skipped', 'host.denied', { host: 'nobody.example' }), 0)
    assert.equal(await store.tasks.endPending('job', 'cancelled', 'job.cancelled'), 2)

    const states = (await store.tasks.list('job')).map(task => `${task.state} ${task.reason}`)
    const cancelled = 'cancelled job.cancelled'
    assert.deepEqual(states, [cancelled, 'in_progress null', cancelled, 'skipped host.denied'])
    assert.equal(await store.tasks.nextWake(), null)
    assert.deepEqual((await settle(store, settlementOf(held!))).lost, [])
  })

  test('all tasks of one host can be failed at once, each with the given message', async () => {
    await using opened = await openWithJob(open, 2)
    const { store } = opened
    await store.tasks.add('job', [
      newTask(50, { host: 'dead.example' }),
      newTask(51, { host: 'dead.example' }),
    ])
    const only = { host: 'dead.example', message: 'dead.example could not be reached' }
    assert.equal(await store.tasks.endPending('job', 'failed', 'host.unreachable', only), 2)
    const failed = await store.tasks.failed('job', { after: 0, limit: 10 })
    assert.deepEqual(
      failed.map(({ host, reason, message }) => [host, reason, message]),
      [only, only].map(({ host, message }) => [host, 'host.unreachable', message]),
    )
    assert.equal((await store.jobs.counts('job')).byReason['host.unreachable'], 2)
  })

  test('a task whose priority is lowered is claimed after the other tasks of its host', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    const [throttled] = await claim(store, clock, { limit: 1 })
    await settle(store, retryAt(throttled!, 0, { demotedBy: 1_000 }))
    const rest = await claim(store, clock, { limit: 3 })
    assert.deepEqual(
      rest.map(({ n }) => n),
      [2, 3, 1],
    )
  })

  test('a reopened task starts with a clean state and the next attempt', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    const [failed, ok] = await claim(store, clock, { limit: 2 })
    await settle(store, failure(failed!), settlementOf(ok!))
    await store.tasks.endPending('job', 'cancelled', 'job.cancelled')

    assert.deepEqual(await store.tasks.reopen('job', ['failed']), [{ host: 'shop.example', count: 1 }])
    const task = await store.tasks.get('job', failed!.n)
    assert.deepEqual([task?.state, task?.reason, task?.message, task?.charged], ['pending', null, null, 0])
    assert.deepEqual(await store.tasks.reopen('job', ['failed', 'cancelled']), [
      { host: 'shop.example', count: 2 },
    ])
    const again = await claim(store, clock)
    assert.deepEqual(
      again.map(({ n, attempt }) => [n, attempt]),
      [
        [1, 2],
        [3, 1],
        [4, 1],
      ],
    )
  })

  test('crashes before a task was reopened do not count towards the limit for poison', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const die = async () => {
      await claim(store, clock)
      clock.advance(leaseMs)
      return store.tasks.reclaim({ now: clock.now(), poisonAfter: 2 })
    }
    await die()
    await die()
    await store.tasks.reopen('job', ['failed'])

    assert.equal((await die()).length, 1)
  })
}
