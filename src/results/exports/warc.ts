// Exports the raw pages of a job as one `.warc.gz` file. Segments have zstd frames, which become gzip members. Ranges of older segments,
// which have gzip members, are copied.
import { triedPages } from '../../lib/list-pages.ts'
import type { Job } from '../../model/job.ts'
import type { BlobRef, Page } from '../../model/page/page.ts'
import type { Task, TaskState } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { TaskStore } from '../../ports/store.ts'
import { GzipMembers } from '../gzip-members.ts'
import { readItemArchive } from '../items.ts'
import { isWarcKey, isZstdKey } from '../keys.ts'
import { rangesOf } from '../ranges.ts'
import { readPage } from '../read-page.ts'
import { requireRawPages } from '../require-raw-pages.ts'
import { unpackAt } from '../unpack.ts'
import { compress, recordIdFor, warcInfo } from '../warc.ts'
import { pageRecords } from '../warc-parts.ts'
import { SharedBodies } from './shared-bodies.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'

export async function writeWarc(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  let rows = 0
  for await (const bytes of warcChunks(source, count => (rows += count))) {
    await sink.write(bytes)
    onProgress({ rows, bytes: sink.bytes })
  }
  return rows
}

/** Yields the file in chunks of whole records. `onPages` is called with the number of pages in each chunk.
 *  With `repeatsBodies`, every record contains its body. */
export async function* warcChunks(
  { store, blobs, job }: Pick<ExportSource, 'store' | 'blobs' | 'job'>,
  onPages: (count: number) => void = () => {},
  { repeatsBodies = false } = {},
): AsyncGenerator<Buffer> {
  requireRawPages(job)
  yield opening(job)
  const members = new GzipMembers()
  const shared = job.spec.results.archive === 'page' ? new SharedBodies(blobs, { repeatsBodies }) : null
  for await (const batch of rawRefs(store.tasks, job.id, ['succeeded']))
    for (const { whole, refs } of rangesOf(batch.map(raw => raw.ref))) {
      onPages(refs.length)
      const bytes = await recordsIn(blobs, whole, members)
      yield shared ? await shared.records(bytes, whole.key) : bytes
    }
}

const opening = (job: Job): Buffer =>
  warcInfo({
    // The id is deterministic, so that an index that is written later matches the file.
    recordId: recordIdFor(job.id),
    date: job.startedAt ?? job.createdAt,
    software: 'kscrape',
    fields: { isPartOf: job.id },
  })

/** The WARC records of a range. The items layout stores WARC records only for page archives; for other pages they are
 *  built. */
async function recordsIn(blobs: Blobs, range: BlobRef, members: GzipMembers): Promise<Buffer> {
  if (isZstdKey(range.key)) return inGzip(await blobs.read(range), members)
  if (isWarcKey(range.key)) return blobs.read(range)
  return (await readItemArchive(blobs, range)) ?? pageMembers(withRedirects(await readPage(blobs, range)))
}

/** Compresses each record again. The result is deterministic: another export writes the index with the
 *  offsets in this file. */
async function inGzip(bytes: Buffer, members: GzipMembers): Promise<Buffer> {
  const records: Buffer[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const { content, length } = unpackAt(bytes, offset)
    records.push(await members.member(content))
    offset += length
  }
  return Buffer.concat(records)
}

const pageMembers = (page: Page): Buffer =>
  Buffer.concat(
    pageRecords(page, recordIdFor(`${page.finalUrl} ${page.startedAt}`)).map(({ bytes }) => compress(bytes)),
  )

/** The items layout stores only the URLs and statuses of redirects, so their responses are rebuilt here. */
function withRedirects(page: Page): Page {
  const exchanges = page.hops.map(({ from, to, status }) => ({
    ...{ url: from, method: 'GET', requestHeaders: [], requestBody: null, remoteAddress: null },
    ...{ status, headers: [['location', to] as const], body: Buffer.alloc(0), httpVersion: page.httpVersion },
    ...{ startedAt: page.startedAt, endedAt: page.startedAt },
  }))
  return exchanges.length === 0 ? page : { ...page, parts: { exchanges, skipped: [], isWhole: false } }
}

const batchTasks = 500

interface RawRef {
  task: Task
  ref: BlobRef
}

/** For each task, the page of its last attempt that stored one. Yields batches. */
async function* rawRefs(tasks: TaskStore, jobId: string, states: TaskState[]): AsyncGenerator<RawRef[]> {
  for await (const batch of triedPages(tasks, jobId, { states, limit: batchTasks }))
    yield batch.flatMap(({ task, attempts }) => {
      const ref = attempts.findLast(({ raw }) => raw !== null)?.raw
      return ref ? [{ task, ref }] : []
    })
}
