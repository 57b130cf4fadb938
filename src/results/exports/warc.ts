// The raw pages of a job as one WARC file: segments are copied by range, not unpacked.
import type { Job } from '../../model/job.ts'
import type { BlobRef } from '../../model/page.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { refuseIfNoneKept } from '../kept-raw.ts'
import { isWarcKey } from '../keys.ts'
import { rangesOf } from '../ranges.ts'
import { rawRefs } from '../raw-refs.ts'
import { readPage } from '../read-page.ts'
import { newRecordId, warcInfo, warcRecord } from '../warc.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'

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
    for (const { whole } of rangesOf(refs)) await sink.write(await recordsIn(blobs, whole))
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

// Pages of the per-item layout are no WARC records yet.
async function recordsIn(blobs: Blobs, range: BlobRef): Promise<Buffer> {
  return isWarcKey(range.key) ? blobs.read(range) : warcRecord(await readPage(blobs, range))
}
