// A finished job in a real store and real blobs: tasks claimed, pages stored, records committed.
import { join } from 'node:path'
import { openFileBlobs } from '../../src/adapters/fs/blobs.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { jobSpec } from '../../src/model/job.ts'
import type { BlobRef } from '../../src/model/page/page.ts'
import type { RecordData } from '../../src/model/record.ts'
import type { LeasedTask, NewTask } from '../../src/model/task.ts'
import type { Settlement, Store } from '../../src/ports/store.ts'
import { segmentName } from '../../src/results/keys.ts'
import { SegmentWriter } from '../../src/results/segment-writer.ts'
import { somePage } from './results-parts.ts'

const batchTasks = 500

export async function openParts(folder: string) {
  const store = await openSqliteStore({ path: join(folder, 'store.sqlite'), clock: systemClock })
  const blobs = await openFileBlobs(join(folder, 'blobs'))
  return { store, blobs, [Symbol.asyncDispose]: async () => void (await closeAll([blobs, store])) }
}

async function closeAll(parts: AsyncDisposable[]): Promise<void> {
  for (const part of parts) await part[Symbol.asyncDispose]()
}

export interface FinishedJob {
  jobId: string
  tasks: number
  /** Tasks whose number is a multiple of this fail. */
  failEvery: number
  recordOf: (n: number) => RecordData
  spec?: Record<string, unknown>
}

/** Creates the job and settles all its tasks in the real order: first the page is durable, then the task is committed. */
export async function runJob(parts: Awaited<ReturnType<typeof openParts>>, job: FinishedJob): Promise<void> {
  const { store, blobs } = parts
  const spec = jobSpec.parse({ urls: ['https://shop.example/'], ...job.spec })
  const ingest = { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 }
  const tasks = Array.from({ length: job.tasks }, (_, index) => newTask(index + 1))
  await store.jobs.create({ id: job.jobId, kind: 'list', spec, ingest, createdAt: Date.now() }, tasks)
  await store.jobs.move(job.jobId, ['pending'], 'running')
  const segments = new SegmentWriter(blobs, segmentName(job.jobId, 'run-1'))
  while (await runBatch(store, segments, job));
}

async function runBatch(store: Store, segments: SegmentWriter, job: FinishedJob): Promise<boolean> {
  const claims = [{ jobId: job.jobId, host: 'shop.example', limit: batchTasks }]
  const lease = { owner: 'tester', untilMs: Date.now() + 60_000, state: 'in_progress' } as const
  const leased = await store.tasks.claim(claims, lease)
  const pending = leased.map(task => segments.add(pageOf(task)))
  await segments.flush()
  const settlements = leased.map((task, index) => settlementOf(task, pending[index]!.ref, job))
  await store.commit({ owner: 'tester', settlements, discovered: [], hosts: [] })
  return leased.length > 0
}

const newTask = (n: number): NewTask => ({
  key: BigInt(n),
  kind: 'page',
  url: `https://shop.example/p/${n}`,
  host: 'shop.example',
  depth: 0,
  priority: 0,
  parent: null,
  input: null,
  itemId: null,
})

export const pageOf = ({ url }: { url: string }) =>
  somePage({ url, finalUrl: url, body: Buffer.from(`<title>${url}</title>`) })

function settlementOf(task: LeasedTask, raw: BlobRef, job: FinishedJob): Settlement {
  const failed = task.n % job.failEvery === 0
  const page = pageOf(task)
  const reason = failed ? 'http.not-found' : 'ok'
  const record = {
    index: 0,
    data: JSON.stringify(job.recordOf(task.n)),
    provenance: null,
    finalUrl: page.finalUrl,
    status: 200,
    fetchedAt: page.endedAt,
    scraper: 'page@1',
    way: null,
  }
  return {
    jobId: task.jobId,
    n: task.n,
    attempt: task.attempt,
    state: failed ? 'failed' : 'succeeded',
    reason,
    message: null,
    notBefore: 0,
    charged: false,
    history: {
      attempt: task.attempt,
      startedAt: page.startedAt,
      endedAt: page.endedAt,
      outcome: reason,
      message: null,
      status: failed ? 404 : 200,
      worker: 'tester',
      proxy: null,
      bytes: page.wireBytes,
      raw,
      way: 'http',
      artifacts: [],
      readMs: null,
      storeMs: null,
    },
    records: failed ? [] : [record],
    identity: { canonical: null, content: null },
  }
}
