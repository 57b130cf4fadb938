// Tests the export of raw pages to Parquet by domain and day. Each page is written once, even if the process is killed.
import assert from 'node:assert/strict'
import test from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import {
  MapBlobs,
  someAttempt,
  someJob,
  somePage,
  someTask,
  taskStore,
} from '../../../test/support/results-parts.ts'
import type { Page } from '../../model/page/page.ts'
import type { Attempt, Task, TaskState } from '../../model/task.ts'
import type { JobStore } from '../../ports/store.ts'
import { segmentName } from '../keys.ts'
import { SegmentWriter } from '../segment-writer.ts'
import { exportRaw, type RawExportOptions } from './export-raw.ts'
import { committedParts, loadRawState, type RawTarget } from './raw-state.ts'

const pageAt = (host: string, n: number, day = 4): Page =>
  somePage({
    url: `https://${host}/${n}`,
    finalUrl: `https://${host}/${n}`,
    body: Buffer.from(`<p>${host} ${n} é`),
    endedAt: Date.UTC(2026, 2, day, 23, 59),
  })

/** A job whose tasks a test can change during the export. */
async function jobWith(pages: Page[], stateOf: (n: number) => TaskState = () => 'succeeded') {
  const blobs = new MapBlobs()
  const writer = new SegmentWriter(blobs, segmentName('job-1', 'run-1'))
  const pending = pages.map(page => writer.add(page))
  await writer.flush()
  const refs = pending.map(({ ref }) => ref)
  const tasks: Task[] = pages.map((_, index) => someTask(index + 1, { state: stateOf(index + 1) }))
  const attempts = new Map<number, Attempt[]>(
    refs.map((raw, index) => [index + 1, [someAttempt({ raw: null }), someAttempt({ attempt: 2, raw })]]),
  )
  const counts = async () => ({ byState: tasks.map(({ state }) => state), pages: tasks.length, bytes: 0 })
  const jobs = { counts } as unknown as Pick<JobStore, 'counts'>
  return { parts: { store: { tasks: taskStore(tasks, attempts), jobs }, blobs }, tasks }
}

/** The URLs that a reader of all files finds, including files that are not committed yet. */
async function urlsIn({ blobs, prefix }: RawTarget): Promise<string[]> {
  const urls: string[] = []
  for await (const { key } of blobs.list(prefix))
    if (key.endsWith('.parquet')) urls.push(...(await urlsOf(blobs, key)))
  return urls.sort()
}

async function rowsOf(blobs: RawTarget['blobs'], key: string) {
  const bytes = new Uint8Array((await blobs.get(key))!)
  return await parquetReadObjects({
    file: bytes.buffer,
    compressors: { ZSTD: input => zstdDecompressSync(input) },
  })
}

const urlsOf = async (blobs: RawTarget['blobs'], key: string): Promise<string[]> =>
  (await rowsOf(blobs, key)).map(({ url }) => String(url))

const over = { isOver: true } satisfies RawExportOptions
const newTarget = (): RawTarget => ({ blobs: new MapBlobs(), prefix: 'raw/' })
const sorted = (pages: Page[]) => pages.map(({ url }) => url).sort()

test('raw pages are exported as Parquet by domain and day', async () => {
  const pages = [pageAt('a.example', 1), pageAt('b.example:81', 2), pageAt('a.example', 3, 5)]
  const { parts } = await jobWith(pages)
  const target = newTarget()
  assert.equal((await exportRaw(parts, someJob(), target, over)).rows, 3)

  const keys = (await Array.fromAsync(target.blobs.list('raw/'))).map(({ key }) => key)
  assert.deepEqual(
    keys.map(key => key.replace(/-[0-9a-f]{16}\.(parquet|json)$/, '')),
    [
      'raw/_kscrape-00000001',
      'raw/domain=a.example/date=2026-03-04/part-1',
      'raw/domain=a.example/date=2026-03-05/part-1',
      'raw/domain=b.example/date=2026-03-04/part-1',
    ],
  )
  assert.deepEqual(await rowsOf(target.blobs, keys[1]!), [
    {
      url: 'https://a.example/1',
      final_url: 'https://a.example/1',
      status: 200,
      headers: pages[0]!.headers,
      fetched_at: new Date('2026-03-04T23:59:00Z'),
      body: '<p>a.example 1 é',
    },
  ])
})

test('with many hosts and little memory, every page is still written once', async () => {
  const pages = Array.from({ length: 300 }, (_, n) => pageAt(`h${n % 20}.example`, n))
  const { parts } = await jobWith(pages)
  const target = newTarget()
  const limits = { waitingBytes: 40_000, groupBytes: 5_000, roundBytes: 2_000 }
  await exportRaw(parts, someJob(), target, { ...over, limits })
  assert.deepEqual(await urlsIn(target), sorted(pages))
})

test('if the export is killed at any write and continued, no page is lost or duplicated', async () => {
  const pages = Array.from({ length: 130 }, (_, n) => pageAt(`h${n % 2}.example`, n))
  const { parts } = await jobWith(pages, n => (n % 5 === 0 ? 'failed' : 'succeeded'))
  const limits = { groupBytes: 1, roundBytes: 1 }
  let isKilled = true
  for (let write = 1; isKilled; write += 1)
    for (const isDone of [false, true]) {
      const blobs = new DyingBlobs(write, isDone)
      const target = { blobs, prefix: 'raw/' }
      isKilled = await exportRaw(parts, someJob(), target, { ...over, limits }).then(
        () => false,
        () => true,
      )
      blobs.revive()
      const before = await urlsIn(target)
      assert.equal(new Set(before).size, before.length, `duplicates after write ${write}`)
      const { rows } = await exportRaw(parts, someJob(), target, { ...over, limits })
      assert.deepEqual([rows, await urlsIn(target)], [130, sorted(pages)], `after write ${write}`)
    }
})

/** Fails at one write and at all later ones, like a killed process. `isDone` says whether the first failing write still takes
 *  effect. */
class DyingBlobs extends MapBlobs {
  #left: number
  readonly #isDone: boolean
  constructor(writes: number, isDone: boolean) {
    super()
    this.#left = writes
    this.#isDone = isDone
  }
  revive(): void {
    this.#left = Number.POSITIVE_INFINITY
  }
  override async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#write(() => super.put(key, bytes))
  }
  override async delete(keys: string[]): Promise<void> {
    await this.#write(() => super.delete(keys))
  }
  async #write(work: () => Promise<void>): Promise<void> {
    this.#left -= 1
    if (this.#left > 0) return await work()
    if (this.#left === 0 && this.#isDone) await work()
    throw new Error('killed')
  }
}

test('the export of a running job grows with the job, and has each page once', async () => {
  const pages = Array.from({ length: 30 }, (_, n) => pageAt('a.example', n))
  const { parts, tasks } = await jobWith(pages, () => 'in_progress')
  const target = newTarget()
  for (let n = 0; n < 30; n += 1) {
    tasks[(n * 7) % 30]!.state = n % 6 === 0 ? 'failed' : 'succeeded'
    if (n % 4 > 0) continue
    await exportRaw(parts, someJob(), target, { isOver: false })
    const done = pages.filter((_, index) => tasks[index]!.state === 'succeeded')
    assert.deepEqual(await urlsIn(target), sorted(done))
  }
  await exportRaw(parts, someJob(), target, over)
  assert.deepEqual(await urlsIn(target), sorted(pages))
})

test('if a task is retried after the end of its job, its new page replaces the page of the failure', async () => {
  const pages = [pageAt('a.example', 1), pageAt('a.example', 2), pageAt('b.example', 3)]
  const { parts, tasks } = await jobWith(pages, n => (n === 1 ? 'succeeded' : 'failed'))
  const target = newTarget()
  assert.equal((await exportRaw(parts, someJob(), target, over)).rows, 3)
  tasks[1]!.state = 'succeeded'
  assert.equal((await exportRaw(parts, someJob(), target, over)).rows, 3)
  assert.deepEqual(await urlsIn(target), sorted(pages))
})

test('a complete export is not written again, and the export of an earlier job with the same id is replaced', async () => {
  const { parts } = await jobWith([pageAt('old.example', 1)])
  const target = newTarget()
  await exportRaw(parts, someJob(), target, over)
  const before = (await loadRawState(target))!.updatedAt
  await exportRaw(parts, someJob(), target, over)
  assert.equal((await loadRawState(target))!.updatedAt, before)

  const fresh = await jobWith([pageAt('new.example', 1)])
  await exportRaw(fresh.parts, { ...someJob(), createdAt: 5 }, target, over)
  assert.deepEqual(await urlsIn(target), ['https://new.example/1'])
})

test('if two processes export one job, one process writes, and the other gets an error that says to retry later', async () => {
  const { parts } = await jobWith(Array.from({ length: 5 }, (_, n) => pageAt('a.example', n)))
  const target = newTarget()
  const shared = { ...over, isShared: true }
  const [first, second] = await Promise.allSettled([
    exportRaw(parts, someJob(), target, shared),
    new Promise(resolve => setImmediate(resolve)).then(() => exportRaw(parts, someJob(), target, shared)),
  ])
  assert.equal(first.status, 'fulfilled')
  if (second.status === 'rejected')
    assert.match(String(second.reason), /another process writes the raw export/)
  assert.equal((await urlsIn(target)).length, 5)
  assert.equal((await loadRawState(target))!.lease, null)
})

test('a process that continues after its lease expired cannot change the export of the next process', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 2, 5) })
  const pages = Array.from({ length: 120 }, (_, n) => pageAt('a.example', n))
  const { parts } = await jobWith(pages)
  const limits = { groupBytes: 1, roundBytes: 1 }
  // The process sleeps at its n-th write, and meanwhile the other process does all the work.
  for (let write = 1; write < 8; write += 1) {
    const blobs = new SleepingBlobs(write, async () => {
      t.mock.timers.tick(60_000)
      await exportRaw(parts, someJob(), { blobs, prefix: 'raw/' }, { ...over, limits, isShared: true })
    })
    const target = { blobs, prefix: 'raw/' }
    const slept = await exportRaw(parts, someJob(), target, { ...over, limits, isShared: true }).then(
      () => 'done',
      error => String(error),
    )
    const state = (await loadRawState(target))!
    const committed = await Array.fromAsync(committedParts(target, state))
    const rows = await Promise.all(committed.map(({ path }) => urlsOf(blobs, `raw/${path}`)))
    assert.deepEqual(rows.flat().sort(), sorted(pages), `write ${write}: ${slept}`)
    assert.deepEqual([await urlsIn(target), state.rows], [sorted(pages), 120], `write ${write}: ${slept}`)
  }
})

class SleepingBlobs extends MapBlobs {
  #left: number
  readonly #meanwhile: () => Promise<void>
  constructor(writes: number, meanwhile: () => Promise<void>) {
    super()
    this.#left = writes
    this.#meanwhile = meanwhile
  }
  override async put(key: string, bytes: Uint8Array): Promise<void> {
    this.#left -= 1
    if (this.#left === 0) await this.#meanwhile()
    await super.put(key, bytes)
  }
}

test('the export of a job without raw pages fails with an error', async () => {
  const { parts } = await jobWith([])
  const job = someJob('job-1', { results: { raw: 'none' } })
  await assert.rejects(exportRaw(parts, job, newTarget(), over), {
    code: 'input.invalid',
    message: /job-1 has no raw pages/,
  })
})
