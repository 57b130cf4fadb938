// The effect of batching: the same outcomes and pages, written in groups of different sizes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileBlobs } from '../../src/adapters/fs/blobs.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { jobSpec } from '../../src/model/job.ts'
import type { Page } from '../../src/model/page/page.ts'
import type { LeasedTask, NewTask } from '../../src/model/task.ts'
import type { Settlement } from '../../src/ports/store.ts'
import { segmentName } from '../../src/results/keys.ts'
import { SegmentWriter } from '../../src/results/segment-writer.ts'
import { pageHtml } from '../static/site.ts'

const longestMs = 4_000
const owner = 'tuning'

async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-tuning-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Repeats the work until the time is over, and counts only the time of the work itself. */
async function perSecond(
  each: number,
  rounds: number,
  work: (round: number) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now()
  let done = 0
  for (; done < rounds && performance.now() - startedAt < longestMs; done += 1) await work(done)
  return (done * each * 1_000) / (performance.now() - startedAt)
}

/** Outcomes per second in a SQLite store, with `size` outcomes in a transaction. */
export const commitsOf = (size: number): Promise<number> =>
  inFolder(async folder => {
    await using store = await openSqliteStore({ path: join(folder, 'store.sqlite'), clock: systemClock })
    const total = Math.min(20_000, size * 400)
    const tasks = Array.from({ length: total }, (_, n) => newTask(n))
    const ingest = { source: 'tuning', done: true, rows: total, blank: 0, rejected: 0, duplicates: 0 }
    await store.jobs.create(
      { id: 'tuning', kind: 'list', spec: jobSpec.parse({}), ingest, createdAt: 0 },
      tasks,
    )
    const lease = { owner, untilMs: Date.now() + 600_000, state: 'in_progress' } as const
    const held = await store.tasks.claim([{ jobId: 'tuning', host: 'shop.example', limit: total }], lease)
    return await perSecond(size, Math.floor(total / size), async round => {
      const settlements = held.slice(round * size, (round + 1) * size).map(settled)
      await store.commit({ owner, settlements, discovered: [], hosts: [] })
    })
  })

const newTask = (n: number): NewTask => ({
  ...{ key: BigInt(n + 1), kind: 'page', url: `https://shop.example/p/${n}`, host: 'shop.example' },
  ...{ depth: 0, priority: 1, parent: null, input: null, itemId: null },
})

function settled({ jobId, n, attempt, url }: LeasedTask): Settlement {
  const at = { startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_050 }
  const way = { worker: 'lane-1', proxy: null, raw: null, way: 'http' } as const
  const outcome = {
    outcome: 'ok',
    message: null,
    status: 200,
    bytes: 17_000,
    readMs: 1,
    storeMs: 20,
  } as const
  const data = JSON.stringify({ title: `Product ${n}`, price: 12.5, text: 'x'.repeat(240) })
  const found = { finalUrl: url, status: 200, fetchedAt: at.endedAt, scraper: 'page@1', way: null }
  return {
    ...{ jobId, n, attempt, state: 'succeeded', reason: 'ok', message: null, notBefore: 0, charged: true },
    history: { attempt, ...at, ...outcome, ...way, artifacts: [] },
    records: [{ index: 0, data, provenance: null, ...found }],
    identity: { canonical: BigInt(n), content: BigInt(n + 500_000_000) },
  }
}

/** Raw pages per second in WARC segments on the disk, with `size` pages in an append. */
export const appendsOf = (size: number): Promise<number> =>
  inFolder(async folder => {
    await using blobs = await openFileBlobs(folder)
    const writer = new SegmentWriter(blobs, segmentName('tuning', 'lane-1'))
    const page = rawPage()
    return await perSecond(size, Math.ceil(4_000 / size), async () => {
      for (let n = 0; n < size; n += 1) writer.add(page)
      await writer.flush()
    })
  })

function rawPage(): Page {
  const body = Buffer.from(pageHtml(7, 64))
  const url = 'https://shop.example/p/7'
  const at = { startedAt: 1_700_000_000_000, sentAt: 1_700_000_000_001, endedAt: 1_700_000_000_050 }
  const headers: Page['headers'] = [['content-type', 'text/html; charset=utf-8']]
  const answer = { status: 200, headers, body, wireBytes: body.length, httpVersion: '1.1' } as const
  return { url, finalUrl: url, ...answer, hops: [], remoteAddress: '127.0.0.1', ...at }
}
