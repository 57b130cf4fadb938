// The store contract for a service: ownership of jobs, idempotent requests, keys, webhooks, schedules, uploads and conduct.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../src/lib/clocks.ts'
import type { HostListing } from '../../../src/model/conduct.ts'
import type { NewSchedule, ScheduleRun } from '../../../src/model/schedule.ts'
import type { LeasedTask } from '../../../src/model/task.ts'
import type { NewWebhook } from '../../../src/model/webhook.ts'
import type { Store } from '../../../src/ports/store.ts'
import {
  claim,
  failure,
  newAttempt,
  newJob,
  newTask,
  newTasks,
  type OpenStore,
  openWithJob,
  settle,
  settlementOf,
} from './fixtures.ts'

const idsOf = (things: ReadonlyArray<{ id: string }>): string[] => things.map(({ id }) => id)

export function originPromises(open: OpenStore): void {
  test('a job is stored with its workspace and its API, and jobs can be found by both', async () => {
    await using store = await open(new FakeClock())
    const labelled = newJob('b', {
      createdAt: 2_000,
      origin: { workspace: 'team', face: 'jobs', keyId: 'k1' },
    })
    labelled.spec.labels = { colour: 'blue', size: '7' }
    await store.jobs.create(newJob('a'), [])
    await store.jobs.create(labelled, [])
    await store.jobs.create(newJob('c', { origin: { workspace: 'team', scheduleId: 's1' } }), [])
    const found = async (filter: Parameters<Store['jobs']['list']>[0]) => idsOf(await store.jobs.list(filter))

    assert.deepEqual(await found({ workspace: 'team' }), ['c', 'b'])
    assert.deepEqual(await found({ workspace: 'team', face: 'jobs' }), ['b'])
    assert.deepEqual(await found({ scheduleId: 's1' }), ['c'])
    assert.deepEqual(await found({ keyId: 'k1', labels: { colour: 'blue', size: '7' } }), ['b'])
    assert.deepEqual(await found({ labels: { colour: 'red' } }), [])
    assert.deepEqual(await found({ createdFrom: 2_000, createdBefore: 2_001 }), ['b'])
    assert.equal((await store.jobs.get('b'))?.workspace, 'team')
  })

  test('labels of kscrape, which may contain secrets, are neither searched nor compared', async () => {
    await using store = await open(new FakeClock())
    const job = newJob('a')
    const own = {
      monitor: 'geheim',
      'monitor.1': 'geheim',
      'firecrawl.12': 'geheim',
      'firecrawl-monitor': 'geheim',
    }
    job.spec.labels = { ...own, team: 'Prices' }
    await store.jobs.create(job, newTasks(0))
    const found = async (filter: Parameters<Store['jobs']['list']>[0]) => idsOf(await store.jobs.list(filter))
    assert.deepEqual(await found({ text: 'geheim' }), [])
    for (const [name, value] of Object.entries(own))
      assert.deepEqual(await found({ labels: { [name]: value } }), [], name)
    assert.deepEqual(
      [await found({ text: 'prices' }), await found({ labels: { team: 'Prices' } })],
      [['a'], ['a']],
    )
    assert.deepEqual((await store.jobs.get('a'))?.spec.labels, job.spec.labels)
  })

  test('jobs are found by a word in their id, their labels or their first URL, in any letter case', async () => {
    await using store = await open(new FakeClock())
    const crawl = newJob('Nightly-crawl')
    crawl.spec.seedUrls = ['https://Boats.example/start', 'https://second.example/']
    crawl.spec.labels = { team: 'Prices' }
    await store.jobs.create(newJob('other'), [])
    await store.jobs.create(crawl, [])
    const found = async (text: string) => idsOf(await store.jobs.list({ text }))

    for (const text of ['nightly', 'BOATS.example', 'prices'])
      assert.deepEqual(await found(text), ['Nightly-crawl'], text)
    assert.deepEqual(await found('second.example'), [])
    assert.deepEqual(await found("100%' --"), [])
  })

  test('two requests with one idempotency key create one job, and the second call gets its id', async () => {
    await using store = await open(new FakeClock())
    const asked = (id: string, workspace: string) =>
      newJob(id, { origin: { workspace }, idempotency: { key: 'k', fingerprint: 'f' } })
    await store.jobs.create(asked('a', 'one'), newTasks(1))

    await assert.rejects(store.jobs.create(asked('b', 'one'), newTasks(1)), {
      code: 'request.repeated',
      details: { jobId: 'a', fingerprint: 'f' },
    })
    assert.equal(await store.jobs.get('b'), null)
    assert.deepEqual(await store.jobs.askedBefore('one', 'k'), { jobId: 'a', fingerprint: 'f' })
    assert.equal(await store.jobs.askedBefore('two', 'k'), null)
    await store.jobs.create(asked('c', 'two'), [])
    await store.jobs.delete('a')
    assert.equal(await store.jobs.askedBefore('one', 'k'), null)
    await store.jobs.create(asked('d', 'one'), [])
  })

  test('open jobs and tasks are counted by workspace and key', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob('a', { origin: { workspace: 'one', keyId: 'k' } }), newTasks(3))
    await store.jobs.create(newJob('b', { origin: { workspace: 'two' } }), newTasks(2))
    await store.jobs.create(newJob('c'), newTasks(2))
    await store.jobs.move('c', ['pending'], 'failed')

    const load = async (filter?: Parameters<typeof store.jobs.load>[0]) => {
      const { jobs, tasks } = await store.jobs.load(filter)
      return { jobs, tasks }
    }
    assert.deepEqual(await load(), { jobs: 2, tasks: 5 })
    assert.deepEqual(await load({ workspace: 'one', keyId: 'k' }), { jobs: 1, tasks: 3 })
    assert.deepEqual(await load({ keyId: 'other' }), { jobs: 0, tasks: 0 })
  })

  test('tasks of open jobs are counted by state', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    await store.jobs.create(newJob('ended'), newTasks(2))
    await store.jobs.move('ended', ['pending'], 'failed')
    const [first] = await claim(store, clock, { limit: 2 })
    await settle(store, failure(first!))

    const { byState } = await store.jobs.load()
    const { pending, queued, in_progress, failed, ...rest } = byState
    assert.deepEqual([pending, queued + in_progress, failed], [2, 1, 1])
    assert.deepEqual(rest, { succeeded: 0, skipped: 0, cancelled: 0 })
  })

  test('failed tasks are listed in the order in which they failed, and leave the list when they are retried', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    const [first, second, third] = await claim(store, clock)
    await settle(store, failure(third!))
    await settle(store, failure(first!))
    const failed = (after = 0) => store.tasks.failed('job', { after, limit: 10 })
    const page = await failed()

    assert.deepEqual(
      page.map(task => [task.n, task.reason]),
      [
        [third!.n, 'http.not-found'],
        [first!.n, 'http.not-found'],
      ],
    )
    await settle(store, failure(second!))
    assert.deepEqual(
      (await failed(page.at(-1)!.seq)).map(task => task.n),
      [second!.n],
    )
    await store.tasks.reopen('job', ['failed'])
    assert.deepEqual(await failed(), [])
  })
}

export function keyPromises(open: OpenStore): void {
  test('a key is found by its hash, listed by workspace, and can be revoked once', async () => {
    await using store = await open(new FakeClock())
    const key = {
      ...{ id: 'key-1', prefix: 'ks_abcd', name: 'mine', workspace: 'team', createdAt: 5 },
      ...{ scopes: ['read', 'submit'] as const, limits: { concurrentJobs: 3 }, workspaces: ['other'] },
    }
    await store.keys.add({ ...key, scopes: [...key.scopes] }, 'hash-1')
    await store.keys.add({ ...key, scopes: ['admin'], id: 'key-2', workspace: 'other' }, 'hash-2')

    assert.deepEqual(await store.keys.byHash('hash-1'), { ...key, revokedAt: null })
    assert.equal(await store.keys.byHash('key-1'), null)
    assert.deepEqual(idsOf(await store.keys.list()), ['key-1', 'key-2'])
    assert.deepEqual(idsOf(await store.keys.list({ workspace: 'team' })), ['key-1'])
    assert.equal(await store.keys.revoke('key-1', 9), true)
    assert.equal(await store.keys.revoke('key-1', 10), false)
    assert.equal((await store.keys.get('key-1'))?.revokedAt, 9)
  })
}

const webhook = (id = 'wh-1', change: Partial<NewWebhook> = {}): NewWebhook => ({
  ...{ id, event: 'job.ended', url: 'https://hook.example/', createdAt: 1_000, body: '{}', ...change },
})

export function outboxPromises(open: OpenStore): void {
  test('rows added later are stored once, however often they are sent, and are refused for a deleted job', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob('job', { origin: { workspace: 'team' } }), [])
    const told: NewWebhook[] = ['page-1', 'page-2'].map(id => ({
      ...{
        id,
        event: 'firecrawl',
        url: 'https://receiver.example/',
        createdAt: 1_000,
        body: `{"id":"${id}"}`,
      },
    }))
    await store.outbox.enter('job', told.slice(0, 1))
    await store.outbox.enter('job', told)
    await store.outbox.enter('nobody', told)
    const taken = await store.outbox.take({ now: 1_000, holdMs: 100, limit: 10 })
    assert.deepEqual(idsOf(taken), ['page-1', 'page-2'])
    assert.deepEqual(
      taken.map(({ workspace, jobId, body }) => [workspace, jobId, body]),
      told.map(({ body }) => ['team', 'job', body]),
    )
  })

  test('a webhook is stored if, and only if, the state change that it reports is committed', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob('job', { origin: { workspace: 'team' } }), [])

    await store.jobs.move('job', ['running'], 'failed', { webhooks: [webhook('never')] })
    assert.deepEqual(await store.outbox.list(), [])
    await store.jobs.move('job', ['pending'], 'failed', { webhooks: [webhook()] })

    const [kept] = await store.outbox.list({ workspace: 'team', jobId: 'job' })
    const fresh = { workspace: 'team', jobId: 'job', state: 'pending', attempts: 0, nextAt: 1_000 }
    const { body, ...entered } = webhook()
    assert.deepEqual(kept, { ...entered, ...fresh })
    assert.deepEqual(await store.outbox.get('wh-1'), { ...kept, body })
    assert.deepEqual(await store.outbox.list({ workspace: 'other' }), [])
  })

  test('a due webhook is leased to one sender; if the lease expires, it is due again; after a failure it waits for its next try', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [])
    await store.jobs.move('job', ['pending'], 'failed', { webhooks: [webhook()] })
    const take = (now: number) => store.outbox.take({ now, holdMs: 100, limit: 10 })

    assert.equal((await take(999)).length, 0)
    assert.equal((await take(1_000)).length, 1)
    assert.equal((await take(1_050)).length, 0)
    assert.equal((await take(1_100)).length, 1)
    const attempt = { at: 1_100, durationMs: 20, status: 500, error: 'answered 500' }
    await store.outbox.settle('wh-1', attempt, { state: 'pending', nextAt: 3_000 })
    assert.equal((await store.outbox.get('wh-1'))?.nextAt, 3_000)
    await store.outbox.settle('wh-1', { ...attempt, status: 204, error: null }, { state: 'delivered' })

    assert.equal((await store.outbox.get('wh-1'))?.nextAt, null)
    assert.deepEqual(
      (await store.outbox.attempts('wh-1')).map(({ attempt: n, status }) => [n, status]),
      [
        [1, 500],
        [2, 204],
      ],
    )
    assert.equal(await store.outbox.replay('wh-1', 9_000), true)
    const again = await store.outbox.get('wh-1')
    assert.deepEqual([again?.state, again?.attempts, again?.nextAt], ['pending', 0, 9_000])
    assert.equal((await store.outbox.attempts('wh-1')).length, 2)
  })

  test('the owner of a webhook lease can extend the lease, but not after it was lost', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [])
    const webhooks = ['held', 'settled', 'replayed', 'let-go'].map(id => webhook(id))
    await store.jobs.move('job', ['pending'], 'failed', { webhooks })
    const take = async (now: number) =>
      idsOf(await store.outbox.take({ now, holdMs: 100, limit: 10 })).toSorted()

    assert.equal((await take(1_000)).length, 4)
    const attempt = { at: 1_050, durationMs: 20, status: 500, error: 'answered 500' }
    await store.outbox.settle('settled', attempt, { state: 'pending', nextAt: 1_060 })
    await store.outbox.replay('replayed', 1_060)
    await store.outbox.hold(['held', 'settled', 'replayed'], { from: 1_100, until: 1_150 })
    assert.deepEqual(await take(1_060), ['replayed', 'settled'])
    assert.deepEqual(await take(1_149), ['let-go'])
    assert.deepEqual(await take(1_150), ['held'])
  })

  test('a webhook is settled once, and is deleted with its job after delivery', async () => {
    await using store = await open(new FakeClock())
    await store.jobs.create(newJob(), [])
    const webhooks = [webhook('told', { body: '{"a":1}' }), webhook('waits')]
    await store.jobs.move('job', ['pending'], 'failed', { webhooks })
    await store.jobs.move('job', ['failed'], 'running')
    await store.jobs.move('job', ['running'], 'failed', { webhooks: [webhook('told', { body: '{"a":2}' })] })

    assert.equal((await store.outbox.get('told'))?.body, '{"a":1}')
    const attempt = { at: 1_100, durationMs: 20, status: 200, error: null }
    await store.outbox.settle('told', attempt, { state: 'delivered' })
    await store.jobs.delete('job')
    assert.deepEqual(idsOf(await store.outbox.list()), ['waits'])
    assert.deepEqual(await store.outbox.attempts('told'), [])
  })

  test('old delivered and failed webhooks are deleted in batches; pending webhooks and those that a job may repeat stay', async () => {
    await using store = await open(new FakeClock())
    const tried = { at: 1_100, durationMs: 20, status: 200, error: null }
    const ended = async (jobId: string, at: number, ids: string[]) => {
      await store.jobs.create(newJob(jobId), [])
      await store.jobs.move(jobId, ['pending'], 'failed', { at, webhooks: ids.map(id => webhook(id)) })
    }
    await ended('old', 1_000, ['delivered', 'dead', 'late', 'waits'])
    await ended('recent', 2_000, ['recent'])
    await store.outbox.settle('delivered', tried, { state: 'delivered' })
    await store.outbox.settle('dead', tried, { state: 'dead' })
    await store.outbox.settle('late', { ...tried, at: 2_000 }, { state: 'delivered' })
    await store.outbox.settle('recent', tried, { state: 'delivered' })

    assert.equal(await store.retention.forgetWebhooks(1_500, { limit: 1 }), 1)
    assert.equal(await store.retention.forgetWebhooks(1_500, { limit: 10 }), 1)
    assert.equal(await store.retention.forgetWebhooks(1_500, { limit: 10 }), 0)

    assert.deepEqual(idsOf(await store.outbox.list()).sort(), ['late', 'recent', 'waits'])
    assert.deepEqual(await store.outbox.attempts('dead'), [])
  })
}

const schedule = (id = 's1', change: Partial<NewSchedule> = {}): NewSchedule => ({
  ...{
    id,
    workspace: 'team',
    name: 'nightly',
    cron: '0 3 * * *',
    timeZone: 'UTC',
    overlap: 'skip',
    jitterMs: 0,
  },
  ...{ job: { urls: ['https://a.example/'] }, paused: false, keyId: null, createdAt: 1 },
  ...{ nextTick: 5_000, nextAt: 5_100, ...change },
})

export function schedulePromises(open: OpenStore): void {
  test('a schedule is stored, changed and deleted; unless paused, it is due at its time', async () => {
    await using store = await open(new FakeClock())
    await store.schedules.create(schedule())
    await store.schedules.create(schedule('s2', { workspace: 'other', nextAt: 4_000 }))

    await assert.rejects(store.schedules.create(schedule()), { code: 'schedule.exists' })
    assert.deepEqual(await store.schedules.get('s1'), schedule())
    assert.deepEqual(idsOf(await store.schedules.list({ workspace: 'team' })), ['s1'])
    const due = await store.schedules.due(5_100, 10)
    assert.deepEqual([idsOf(due.schedules), due.queued, due.nextAt], [['s2', 's1'], [], 4_000])
    assert.deepEqual(await store.schedules.due(3_999, 10), { schedules: [], queued: [], nextAt: 4_000 })
    await store.schedules.update('s2', { paused: true })
    assert.deepEqual(idsOf((await store.schedules.due(5_100, 10)).schedules), ['s1'])
    assert.equal(await store.schedules.delete('s1'), true)
    assert.deepEqual(await store.schedules.due(9_999, 10), { schedules: [], queued: [], nextAt: null })
    assert.equal(await store.schedules.update('s1', { paused: true }), null)
  })

  test('a tick has exactly one run, whichever process creates the run', async () => {
    await using store = await open(new FakeClock())
    await store.schedules.create(schedule())
    const tick = { tick: 5_000, catchUp: false, next: { nextTick: 9_000, nextAt: 9_100 } }
    const run = (id: string) => newJob(id, { origin: { scheduleId: 's1' }, tick })
    await store.jobs.create(run('a'), [])

    await assert.rejects(store.jobs.create(run('b'), []), { code: 'schedule.ticked' })
    assert.equal(await store.jobs.get('b'), null)
    assert.equal((await store.schedules.get('s1'))?.nextAt, 9_100)
    const skipped: ScheduleRun = {
      ...{ scheduleId: 's1', tick: 9_000, at: 9_150, outcome: 'skipped', jobId: null },
      ...{ reason: 'a still runs', catchUp: false },
    }
    assert.equal(await store.schedules.enterRun(skipped, { nextTick: null, nextAt: null }), true)
    assert.equal(await store.schedules.enterRun(skipped, { nextTick: 1, nextAt: 1 }), false)
    const runs = await store.schedules.runs('s1')
    assert.deepEqual(
      runs.map(({ tick: at, outcome, jobId }) => [at, outcome, jobId]),
      [
        [9_000, 'skipped', null],
        [5_000, 'started', 'a'],
      ],
    )
    assert.deepEqual(await store.schedules.due(9_999, 10), { schedules: [], queued: [], nextAt: null })
  })

  test('if a schedule changes while one of its ticks is processed, the change is not lost', async () => {
    await using store = await open(new FakeClock())
    await store.schedules.create(schedule())
    await store.schedules.update('s1', { cron: '0 4 * * *', nextTick: 7_000, nextAt: 7_100 })
    const tick = { tick: 5_000, catchUp: false, next: { nextTick: 9_000, nextAt: 9_100 } }
    await store.jobs.create(newJob('a', { origin: { scheduleId: 's1' }, tick }), [])

    const { nextTick, nextAt } = (await store.schedules.get('s1'))!
    assert.deepEqual([nextTick, nextAt], [7_000, 7_100])
    assert.equal((await store.schedules.runs('s1'))[0]?.jobId, 'a')
  })

  test('every process sees a waiting run, which starts once and does not affect the next tick', async () => {
    await using store = await open(new FakeClock())
    await store.schedules.create(schedule())
    const queued: ScheduleRun = {
      ...{ scheduleId: 's1', tick: 5_000, at: 5_001, outcome: 'queued', jobId: null },
      ...{ reason: 'a still runs', catchUp: false },
    }
    await store.schedules.enterRun(queued, { nextTick: 9_000, nextAt: 9_100 })
    assert.deepEqual(await store.schedules.due(9_000, 10), { schedules: [], queued: [queued], nextAt: 9_100 })
    const run = (id: string) =>
      newJob(id, { origin: { scheduleId: 's1' }, tick: { tick: 5_000, catchUp: false } })
    const waiting = { ...queued, tick: 6_000 }
    await store.schedules.enterRun(waiting)
    await store.jobs.create(run('b'), [])
    assert.deepEqual((await store.schedules.due(9_000, 10)).queued, [], 'the schedule waits for the job b')
    assert.deepEqual(await store.schedules.runs('s1', { outcome: 'queued' }), [waiting])
    await store.schedules.update('s1', { overlap: 'cancel_previous' })
    assert.deepEqual((await store.schedules.due(9_000, 10)).queued, [waiting])
    await store.schedules.enterRun({ ...waiting, outcome: 'skipped' })

    await assert.rejects(store.jobs.create(run('c'), []), { code: 'schedule.ticked' })
    assert.equal(await store.schedules.enterRun(queued), false)
    assert.deepEqual((await store.schedules.due(9_000, 10)).queued, [])
    assert.equal((await store.schedules.get('s1'))?.nextAt, 9_100)
    assert.equal((await store.schedules.runs('s1', { before: 6_000 }))[0]?.jobId, 'b')
    assert.equal((await store.schedules.update('s1', { keyId: 'k2' }))?.keyId, 'k2')
    assert.equal((await store.schedules.get('s1'))?.keyId, 'k2')
  })
}

export function uploadPromises(open: OpenStore): void {
  test('an upload completes once, and expires if it never completes', async () => {
    await using store = await open(new FakeClock())
    const upload = { workspace: 'team', fileName: 'a.csv', blobKey: 'uploads/u', keyId: null, createdAt: 1 }
    await store.uploads.create({ ...upload, id: 'u1', expiresAt: 100 })
    await store.uploads.create({ ...upload, id: 'u2', expiresAt: 100 })

    assert.equal(await store.uploads.complete('u1', { bytes: 7, at: 50 }), true)
    assert.equal(await store.uploads.complete('u1', { bytes: 8, at: 51 }), false)
    assert.deepEqual(
      [(await store.uploads.get('u1'))?.bytes, (await store.uploads.get('u1'))?.completedAt],
      [7, 50],
    )
    assert.deepEqual(idsOf(await store.uploads.expired(100, 10)), ['u2'])
    assert.deepEqual(idsOf(await store.uploads.list({ workspace: 'team', limit: 1 })), ['u2'])
    assert.deepEqual(idsOf(await store.uploads.list({ workspace: 'team', cursor: 'u2' })), ['u1'])
    await assert.rejects(store.uploads.list({ cursor: 'nowhere' }), { code: 'cursor.unknown' })
    assert.equal(await store.uploads.delete('u2'), true)
    assert.equal(await store.uploads.get('u2'), null)
  })
}

export function conductPromises(open: OpenStore): void {
  test('the consents of a job are stored with it and deleted with it', async () => {
    await using store = await open(new FakeClock())
    const note = { what: 'stealth', value: 'on', who: 'key-1', at: 5 } as const
    await store.jobs.create(newJob('job', { notes: [note] }), [])
    await store.conduct.note('job', [{ ...note, what: 'ignore_robots' }])

    assert.deepEqual(await store.conduct.notes('job'), [note, { ...note, what: 'ignore_robots' }])
    await store.jobs.delete('job')
    assert.deepEqual(await store.conduct.notes('job'), [])
  })

  test('a new override for a host replaces the earlier one', async () => {
    await using store = await open(new FakeClock())
    const override = {
      host: 'a.example',
      policy: { rate: 2 },
      pausedUntil: 0,
      pauseReason: null,
      by: 'k',
      at: 1,
    }
    await store.conduct.setOverride(override)
    await store.conduct.setOverride({ ...override, policy: null, pausedUntil: 99 })

    assert.deepEqual(await store.conduct.overrides(), [{ ...override, policy: null, pausedUntil: 99 }])
    assert.equal((await store.conduct.overrides('a.example')).length, 1)
    assert.deepEqual(await store.conduct.overrides('b.example'), [])
    assert.equal(await store.conduct.dropOverride('a.example'), true)
    assert.deepEqual(await store.conduct.overrides('a.example'), [])
  })

  test('an entry of the do-not-crawl list is stored, found by its state, and approved or rejected', async () => {
    await using store = await open(new FakeClock())
    const entry: HostListing = {
      ...{
        id: 'd1',
        list: 'deny',
        pattern: '*.shop.example',
        state: 'requested',
        reason: 'please',
        contact: 'me@shop',
      },
      ...{ token: 't', createdAt: 1, decidedAt: null, decidedBy: null },
    }
    await store.conduct.enterListing(entry)

    assert.deepEqual(await store.conduct.listing('d1'), entry)
    assert.deepEqual(await store.conduct.listings({ states: ['approved', 'proved'] }), [])
    assert.equal(await store.conduct.decide('d1', { state: 'approved', by: 'k', at: 7 }), true)
    const [approved] = await store.conduct.listings({ states: ['approved'], list: 'deny' })
    assert.deepEqual(approved, { ...entry, state: 'approved', decidedBy: 'k', decidedAt: 7 })
    assert.equal(await store.conduct.deleteListing('d1'), true)
    assert.deepEqual(await store.conduct.listings(), [])
  })

  test('readers of lists and overrides are notified of every change', async () => {
    await using store = await open(new FakeClock())
    const { conduct } = store
    const entry = { id: 'd', list: 'deny', pattern: 'a.example', state: 'requested' } as const
    const blank = { reason: null, contact: null, token: null, decidedAt: null, decidedBy: null }
    const override = { host: 'a.example', policy: null, pausedUntil: 9, pauseReason: null, by: 'k' }
    const changes = [
      () => conduct.enterListing({ ...entry, ...blank, createdAt: 1 }),
      () => conduct.decide('d', { state: 'approved', by: 'k', at: 7 }),
      () => conduct.decide('d', { state: 'refused', by: 'k', at: 7 }),
      () => conduct.deleteListing('d'),
      () => conduct.setOverride({ ...override, at: 1 }),
      () => conduct.setOverride({ ...override, at: 2 }),
      () => conduct.dropOverride('a.example'),
    ]
    for (const [index, change] of changes.entries()) {
      const before = await conduct.version()
      assert.equal(await conduct.version(), before)
      await change()
      assert.notEqual(await conduct.version(), before, `change ${index}`)
    }
  })

  test('the conduct of a job counts only requests that were really sent', async () => {
    await using opened = await openWithJob(open, 4)
    const { store, clock } = opened
    const leased = await claim(store, clock)
    const sentAt = (index: number, startedAt: number) =>
      settlementOf(leased[index]!, { history: newAttempt(1, { startedAt }) })
    const unsent = settlementOf(leased[3]!, { state: 'skipped', reason: 'robots.disallowed' })
    await settle(store, sentAt(0, 1_000), sentAt(1, 2_000), sentAt(2, 5_000), unsent)

    assert.deepEqual(await store.hosts.paces('job', 10), [
      { host: 'shop.example', requests: 3, firstAt: 1_000, lastAt: 5_000 },
    ])
  })

  test('the pace of each host is summed over all commits, including commits of lost attempts, busiest hosts first', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    await store.tasks.add('job', [newTask(10, { host: 'quiet.example' })])
    const first = await claim(store, clock)
    const quiet = await claim(store, clock, { host: 'quiet.example' })
    const sentAt = (task: LeasedTask, startedAt: number) =>
      settlementOf(task, { history: newAttempt(task.attempt, { startedAt }) })
    await settle(store, sentAt(first[0]!, 3_000), sentAt(quiet[0]!, 4_000))
    await settle(store, sentAt(first[1]!, 2_000))
    const lostSince = clock.now()
    await store.tasks.reclaim({ now: clock.now() + 10_000_000, poisonAfter: 5 })

    assert.deepEqual(await store.hosts.paces('job', 10), [
      {
        host: 'shop.example',
        requests: 3,
        firstAt: Math.min(2_000, lostSince),
        lastAt: Math.max(3_000, lostSince),
      },
      { host: 'quiet.example', requests: 1, firstAt: 4_000, lastAt: 4_000 },
    ])
    assert.equal((await store.hosts.paces('job', 1)).length, 1)
  })
}
