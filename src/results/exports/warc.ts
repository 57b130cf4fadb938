// The raw pages of a job as one WARC file: segments are copied by range, not unpacked.
import type { Job } from '../../model/job.ts'
import type { BlobRef } from '../../model/page.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { refuseIfNoneKept } from '../kept-raw.ts'
import { isWarcKey } from '../keys.ts'
import { rawRefs } from '../raw-refs.ts'
import { readPage } from '../read-page.ts'
import { newRecordId, warcInfo, warcRecord } from '../warc.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'

const maxReadBytes = 4 * 1024 * 1024

export async function writeWarc(
  { store, blobs, job }: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  refuseIfNoneKept(job)
  await sink.write(opening(job))
  let rows = 0
  for await (const batch of rawRefs(store.tasks, job.id, ['succeeded'])) {
    const refs = batch.map(raw => raw.ref)
    for (const range of joined(refs)) await sink.write(await recordsIn(blobs, range))
    rows += refs.length
    onProgress({ rows, bytes: sink.bytes })
  }
  return rows
}

const opening = (job: Job): Buffer =>
  warcInfo({
    recordId: newRecordId(),
    date: job.startedAt ?? job.createdAt,
    software: 'kscrape',
    fields: { isPartOf: job.id },
  })

/** Neighbours in a segment become one read. */
export function joined(refs: BlobRef[]): BlobRef[] {
  const ranges: BlobRef[] = []
  for (const ref of [...refs].sort(byPlace)) {
    const last = ranges.at(-1)
    if (last && follows(last, ref)) last.length += ref.length
    else ranges.push({ ...ref })
  }
  return ranges
}

const byPlace = (a: BlobRef, b: BlobRef): number =>
  a.key === b.key ? a.offset - b.offset : a.key < b.key ? -1 : 1

const follows = (last: BlobRef, next: BlobRef): boolean =>
  last.key === next.key &&
  isWarcKey(next.key) &&
  last.offset + last.length === next.offset &&
  last.length + next.length <= maxReadBytes

// Pages of the per-item layout are no WARC records yet.
async function recordsIn(blobs: Blobs, range: BlobRef): Promise<Buffer> {
  return isWarcKey(range.key) ? blobs.read(range) : warcRecord(await readPage(blobs, range))
}
