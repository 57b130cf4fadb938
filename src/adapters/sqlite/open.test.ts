// Tests what only the SQLite store has: versions of the file, several processes, invalid files, and jobs larger than one transaction.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { systemClock } from '../../lib/clocks.ts'
import { jobSpec } from '../../model/job.ts'
import type { NewTask } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'
import { openSqliteStore } from './open.ts'

const directory = mkdtempSync(join(tmpdir(), 'kscrape-sqlite-'))
after(() => rmSync(directory, { recursive: true }))

const newPath = (): string => join(mkdtempSync(join(directory, 'store-')), 'store.sqlite')
const open = (path: string, options = {}) => openSqliteStore({ path, clock: systemClock, ...options })

const ingest = { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 }
const createJob = (store: Store, tasks: NewTask[] = []) =>
  store.jobs.create({ id: 'job', kind: 'list', spec: jobSpec.parse({}), ingest, createdAt: 1 }, tasks)

const task = (key: number): NewTask => ({
  key: BigInt(key),
  kind: 'page',
  url: `https://a.example/${key}`,
  host: 'a.example',
  depth: 0,
  priority: 0,
  parent: null,
  input: null,
  itemId: null,
})

test('written data exists after the store is reopened, and the write-ahead log is merged', async () => {
  const path = newPath()
  const store = await open(path)
  await createJob(store, [task(1)])
  await store.tasks.alias('job', 5n, 1)
  await store[Symbol.asyncDispose]()

  await using again = await open(path)
  assert.equal((await again.jobs.get('job'))?.id, 'job')
  assert.equal((await again.tasks.find('job', 5n))?.n, 1)
})

test('a store of a newer version is refused and not changed', async () => {
  const path = newPath()
  await (await open(path))[Symbol.asyncDispose]()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA user_version = 999')
  database.close()

  await assert.rejects(open(path), { code: 'storage.failed', message: /schema version 999.*newer kscrape/ })
  await assert.rejects(open(path, { readOnly: true }), { code: 'storage.failed' })
})

test('a migration that was killed half-way starts again from its beginning', async () => {
  const path = newPath()
  await (await open(path))[Symbol.asyncDispose]()
  const database = new DatabaseSync(path)
  database.exec('BEGIN; CREATE TABLE half_made (a); PRAGMA user_version = 2; ROLLBACK')
  database.close()

  await using store = await open(path)
  await createJob(store, [task(1)])
})

test('several processes open a new file at once, and all find the same tables', async () => {
  const path = newPath()
  const stores = await Promise.all(Array.from({ length: 5 }, () => open(path)))
  await createJob(stores[0]!, [task(1)])

  for (const store of stores) assert.equal((await store.jobs.counts('job')).tasks, 1)
  for (const store of stores) await store[Symbol.asyncDispose]()
})

test('a second process sees what the owner of the store wrote, and the owner receives its control request', async () => {
  const path = newPath()
  await using owner = await open(path)
  await using visitor = await open(path)
  await createJob(owner, [task(1), task(2)])
  assert.equal((await visitor.jobs.counts('job')).tasks, 2)

  await visitor.requests.leave({ jobId: 'job', kind: 'pause', at: 3 })

  assert.deepEqual(await owner.requests.take(), [{ jobId: 'job', kind: 'pause', at: 3 }])
})

test('a store that is opened read-only can be read but not written, both while its owner runs and after the owner ended', async () => {
  const path = newPath()
  const owner = await open(path)
  await createJob(owner, [task(1)])
  const beside = await open(path, { readOnly: true })
  assert.equal((await beside.tasks.list('job')).length, 1)
  await assert.rejects(beside.tasks.add('job', [task(2)]), { code: 'storage.failed' })
  await beside[Symbol.asyncDispose]()
  await owner[Symbol.asyncDispose]()

  await using later = await open(path, { readOnly: true })
  assert.equal((await later.tasks.list('job')).length, 1)
  await assert.rejects(open(newPath(), { readOnly: true }), { code: 'storage.failed', message: /no store/ })
})

test('while another process locks the store, a write fails as busy; after the lock ends, the write succeeds', async () => {
  const path = newPath()
  await using store = await open(path, { busyTimeoutMs: 1 })
  await createJob(store)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')

  await assert.rejects(store.tasks.add('job', [task(1)]), { code: 'store.busy' })
  other.exec('ROLLBACK')
  other.close()

  assert.equal((await store.tasks.add('job', [task(1)])).added, 1)
})

test('a file that is not a store is refused, and the error names its path', async () => {
  const path = join(directory, 'letter.txt')
  writeFileSync(path, 'Dear Sir or Madam, '.repeat(500))
  await assert.rejects(open(path), { code: 'storage.failed', message: /letter\.txt/ })
})

test('a failed transaction changes nothing in the file or in memory', async () => {
  await using store = await open(newPath())
  await createJob(store)
  const broken = { ...task(2), host: 'b.example', url: null as unknown as string }

  await assert.rejects(store.tasks.add('job', [{ ...task(1), host: 'b.example' }, broken]))
  await store.tasks.add('job', [
    { ...task(3), host: 'c.example' },
    { ...task(4), host: 'b.example' },
  ])

  const hosts = (await store.tasks.list('job')).map(({ n, host }) => `${n} ${host}`)
  assert.deepEqual(hosts, ['1 c.example', '2 b.example'])
})

test('a job with more tasks than fit into one transaction is ended, reopened and deleted completely', async () => {
  await using store = await open(newPath())
  const tasks = Array.from({ length: 25_000 }, (_, i) => task(i + 1))
  await createJob(store, tasks)

  assert.equal(await store.tasks.endPending('job', 'cancelled', 'job.cancelled'), 25_000)
  assert.equal((await store.jobs.counts('job')).byState.cancelled, 25_000)
  assert.deepEqual(await store.tasks.reopen('job', ['cancelled']), [{ host: 'a.example', count: 25_000 }])
  await store.jobs.delete('job')
  assert.equal((await createJob(store, tasks)).added, 25_000)
})
