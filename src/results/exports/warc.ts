// The raw pages of a job as one WARC file: segments are copied by range, not unpacked.
import type { Job } from '../../model/job.ts'
import type { BlobRef } from '../../model/page/page.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { refuseIfNoneKept } from '../kept-raw.ts'
import { isWarcKey } from '../keys.ts'
import { rangesOf } from '../ranges.ts'
import { rawRefs } from '../raw-refs.ts'
import { readPage } from '../read-page.ts'
import { recordIdFor, warcInfo, warcRecord } from '../warc.ts'
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

/** The file in chunks of whole records; `onPages` gets the number of pages in each. */
export async function* warcChunks(
  { store, blobs, job }: Pick<ExportSource, 'store' | 'blobs' | 'job'>,
  onPages: (count: number) => void = () => {},
): AsyncGenerator<Buffer> {
  refuseIfNoneKept(job)
  yield opening(job)
  for await (const batch of rawRefs(store.tasks, job.id, ['succeeded']))
    for (const { whole, refs } of rangesOf(batch.map(raw => raw.ref))) {
      onPages(refs.length)
      yield await recordsIn(blobs, whole)
    }
}

const opening = (job: Job): Buffer =>
  warcInfo({
    // Deterministic, so that a later index fits the file.
    recordId: recordIdFor(job.id),
    date: job.startedAt ?? job.createdAt,
    software: 'kscrape',
    fields: { isPartOf: job.id },
  })

// Pages of the items layout are not WARC records yet.
async function recordsIn(blobs: Blobs, range: BlobRef): Promise<Buffer> {
  return isWarcKey(range.key) ? blobs.read(range) : warcRecord(await readPage(blobs, range))
}
