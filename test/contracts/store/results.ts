// The store contract for records, identities, hosts, outputs and control requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../src/lib/clocks.ts'
import { isLastList } from '../../../src/lib/listed-records.ts'
import { wayWithRow } from '../../../src/model/hidden-row.ts'
import type { HostState, RobotsEntry } from '../../../src/model/host.ts'
import {
  claim,
  commit,
  failure,
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

const identity = (canonical: bigint | null, content: bigint | null = null) => ({
  identity: { canonical, content },
  records: [newRecord()],
})

const hostState = (host: string, change: Partial<HostState> = {}): HostState => ({
  host,
  nextAt: 1,
  rateFactor: 0.5,
  slowUntil: 2,
  pausedUntil: 3,
  pauseReason: 'Retry-After',
  breaker: 'half_open',
  breakerUntil: 4,
  window: [0, 1, 1],
  lastError: null,
  lastErrorAt: null,
  requests: 7,
  failures: 2,
  ...change,
})

export function recordPromises(open: OpenStore): void {
  test('a list of large records ends early, says that more follow, and can be continued', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [task] = await claim(store, clock)
    const large = JSON.stringify({ text: 'ü'.repeat(8_000_000) })
    const records = Array.from({ length: 4 }, (_, index) =>
      newRecord(index, { data: index < 3 ? large : '{}' }),
    )
    await settle(store, settlementOf(task!, { records }))
    const first = await store.records.list('job', { after: 0, limit: 10 })
    assert.deepEqual([first.length, isLastList(first, 10)], [3, false])
    const rest = await store.records.list('job', { after: first.at(-1)!.seq, limit: 10 })
    assert.deepEqual([rest.map(({ index }) => index), isLastList(rest, 10)], [[3], true])
    assert.deepEqual(await store.records.list('job', { after: rest[0]!.seq, limit: 10 }), [])
  })

  test('a record is returned with its task, in the order of commits', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    await store.tasks.add('job', [newTask(9, { itemId: 'row-9', input: '{"sku":"0012"}' })])
    const [a, b, c] = await claim(store, clock)
    const record = newRecord(0, { provenance: '{"name":{"from":"css"}}', status: 203 })
    await settle(store, settlementOf(c!, { records: [record] }))
    await settle(store, settlementOf(a!, { records: [newRecord(0), newRecord(1)] }), settlementOf(b!))

    const listed = await store.records.list('job', { after: 0, limit: 10 })
    assert.deepEqual(
      listed.map(({ n, index }) => [n, index]),
      [
        [3, 0],
        [1, 0],
        [1, 1],
      ],
    )
    const { seq } = listed[0]!
    const task = {
      jobId: 'job',
      n: 3,
      url: 'https://shop.example/9',
      itemId: 'row-9',
      input: '{"sku":"0012"}',
    }
    assert.deepEqual(listed[0], { ...record, ...task, seq })
    assert.deepEqual(await store.records.ofTask('job', 1), listed.slice(1))
    assert.deepEqual(await store.records.ofTask('job', 2), [])
  })

  test('if a record was stored with its own row, this row is shown instead of the row of its task', async () => {
    await using opened = await openWithJob(open, 0)
    const { store, clock } = opened
    const given = '{"email":"ann@kestrel.example"}'
    await store.tasks.add('job', [newTask(9, { input: given })])
    const [task] = await claim(store, clock)
    const way = wayWithRow({ way: 'http', why: 'asked' }, { email: 'a***@k***.example' })
    await settle(store, settlementOf(task!, { records: [newRecord(0, { way })] }))
    const shown = [
      ...(await store.records.list('job', { after: 0, limit: 10 })),
      ...(await store.records.ofTask('job', 1)),
    ]
    assert.equal(shown.length, 2)
    for (const record of shown)
      assert.deepEqual(
        [record.input, record.way],
        ['{"email":"a***@k***.example"}', '{"way":"http","why":"asked"}'],
      )
    assert.equal((await store.tasks.get('job', 1))?.input, given)
  })

  test('paging returns each record once, even while other records are committed', async () => {
    await using opened = await openWithJob(open, 12)
    const { store, clock } = opened
    await store.jobs.create(newJob('other'), newTasks(12))
    const seen: number[] = []
    for (let after = 0, round = 0; round < 20; round += 1) {
      for (const jobId of ['other', 'job'])
        for (const task of await claim(store, clock, { jobId, limit: 1 }))
          await settle(store, settlementOf(task, { records: [newRecord(0), newRecord(1)] }))
      const page = await store.records.list('job', { after, limit: 3 })
      seen.push(...page.map(({ n, index }) => n * 10 + index))
      after = page.at(-1)?.seq ?? after
    }

    assert.equal(seen.length, 24)
    assert.equal(new Set(seen).size, 24)
  })

  test('if a task runs again, a stored record is not duplicated', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [first] = await claim(store, clock)
    await settle(store, retryAt(first!, 0, { records: [newRecord(0)] }))
    const [second] = await claim(store, clock)
    await settle(store, settlementOf(second!, { records: [newRecord(0), newRecord(1)] }))

    assert.equal((await store.records.list('job', { after: 0, limit: 10 })).length, 2)
    assert.equal((await store.jobs.counts('job')).records, 2)
  })
}

export function identityPromises(open: OpenStore): void {
  test('if two pages of one commit are duplicates, only the first has a record, and the second names the first', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    const [a, b, c] = await claim(store, clock)

    const { duplicates } = await settle(
      store,
      settlementOf(a!, identity(5n, 6n)),
      settlementOf(b!, identity(5n, 7n)),
      settlementOf(c!, identity(8n, 6n)),
    )

    assert.deepEqual(duplicates, [
      { jobId: 'job', n: 2, of: 1, reason: 'duplicate.canonical' },
      { jobId: 'job', n: 3, of: 1, reason: 'duplicate.content' },
    ])
    const second = await store.tasks.get('job', 2)
    assert.deepEqual(
      [second?.state, second?.reason, second?.duplicateOf],
      ['skipped', 'duplicate.canonical', 1],
    )
    const counts = await store.jobs.counts('job')
    assert.deepEqual([counts.records, counts.pages, counts.byState.skipped], [1, 1, 2])
    assert.equal((await store.tasks.attempts('job', 2)).length, 1)
  })

  test('a duplicate page has no identity', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    const [a, b, c] = await claim(store, clock)
    await settle(store, settlementOf(a!, identity(1n, 10n)))
    await settle(store, settlementOf(b!, identity(2n, 10n)))

    const { duplicates } = await settle(store, settlementOf(c!, identity(2n, 11n)))

    assert.deepEqual(duplicates, [])
  })

  test('only succeeded pages count as originals of duplicates, separately for each job', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    await store.tasks.add('job', [newTask(50, { kind: 'sitemap' })])
    await store.jobs.create(newJob('other'), newTasks(1))
    const [a, b, sitemap] = await claim(store, clock)
    const [other] = await claim(store, clock, { jobId: 'other' })

    const { duplicates } = await settle(
      store,
      { ...failure(a!), ...identity(5n, 6n) },
      settlementOf(sitemap!, identity(5n, 6n)),
      settlementOf(other!, identity(5n, 6n)),
      settlementOf(b!, identity(5n, 6n)),
    )

    assert.deepEqual(duplicates, [])
  })

  test('a page whose canonical URL belongs to a page that is not fetched yet is no duplicate', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [first] = await claim(store, clock, { limit: 1 })

    const { duplicates } = await settle(store, settlementOf(first!, identity(2n, 1n)))

    assert.deepEqual(duplicates, [])
  })
}

export function hostPromises(open: OpenStore): void {
  test('host states are saved with a commit and listed by name', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    await commit(store, {
      hosts: [hostState('b.example'), hostState('a.example:8080'), hostState('c.example')],
    })
    await commit(store, { hosts: [hostState('b.example', { breaker: 'closed', lastError: 'boom' })] })

    assert.deepEqual(
      await store.hosts.get('b.example'),
      hostState('b.example', { breaker: 'closed', lastError: 'boom' }),
    )
    assert.equal(await store.hosts.get('unknown.example'), null)
    assert.deepEqual(
      (await store.hosts.many(['b.example', 'unknown.example'])).map(({ host }) => host),
      ['b.example'],
    )
    const names = async (options?: { after?: string; limit?: number }) =>
      (await store.hosts.list(options)).map(({ host }) => host)
    assert.deepEqual(await names({ limit: 2 }), ['a.example:8080', 'b.example'])
    assert.deepEqual(await names({ after: 'b.example' }), ['c.example'])
  })

  test('the hosts of a job are listed with the number of tasks in each state, busiest hosts first', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    await store.tasks.add('job', [
      newTask(20, { host: 'b.example' }),
      ...[21, 22, 23].map(key => newTask(key, { host: 'c.example' })),
    ])
    const [task] = await claim(store, clock, { host: 'c.example', limit: 1 })
    await settle(store, failure(task!))

    assert.deepEqual(await store.hosts.ofJob('job', 2), [
      { host: 'c.example', byState: { pending: 2, failed: 1 } },
      { host: 'shop.example', byState: { pending: 2 } },
    ])
  })

  test('robots.txt of an origin is stored, and replaced when it is fetched again', async () => {
    await using store = await open(new FakeClock())
    const entry: RobotsEntry = {
      origin: 'https://a.example',
      fetchedAt: 1,
      expiresAt: 2,
      verdict: 'unreachable',
      status: null,
      body: '',
      failures: 3,
    }
    const fetched: RobotsEntry = {
      ...entry,
      verdict: 'parsed',
      status: 200,
      body: 'User-agent: *\nDisallow:',
      failures: 0,
    }

    await store.hosts.keepRobots(entry)
    assert.deepEqual(await store.hosts.robots('https://a.example'), entry)
    await store.hosts.keepRobots(fetched)
    assert.deepEqual(await store.hosts.robots('https://a.example'), fetched)
    assert.equal(await store.hosts.robots('http://a.example'), null)
  })
}

export function sidePromises(open: OpenStore): void {
  test('the position of an output is stored per job and path', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    const output = { path: 'out.jsonl', format: 'jsonl', seq: 3, bytes: 100, done: false }
    await store.outputs.save('job', output)
    await store.outputs.save('job', { ...output, path: 'a.csv', format: 'csv' })
    await store.outputs.save('job', { ...output, seq: 9, bytes: 5_000_000_000, done: true })

    assert.deepEqual(await store.outputs.list('job'), [
      { ...output, path: 'a.csv', format: 'csv' },
      { ...output, seq: 9, bytes: 5_000_000_000, done: true },
    ])
    assert.deepEqual(await store.outputs.list('unknown'), [])
  })

  test('control requests are delivered once, oldest first', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    const pause = { jobId: 'job', kind: 'pause', at: 5 } as const
    const resume = { jobId: 'job', kind: 'resume', at: 6 } as const
    await store.requests.leave(pause)
    await store.requests.leave(resume)

    const taken = await Promise.all([store.requests.take(), store.requests.take()])

    assert.deepEqual(taken.flat(), [pause, resume])
    await store.requests.leave(pause)
    assert.deepEqual(await store.requests.take(), [pause])
    assert.deepEqual(await store.requests.take(), [])
  })
}
