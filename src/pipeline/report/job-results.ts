// Reads the results of a job: page by page while it runs, as manifests after its end, or as a stream of records.
import { isCutShort } from '../../lib/listed-records.ts'
import type { Job } from '../../model/job.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { FailedTask, Store } from '../../ports/store.ts'
import { survey } from '../../results/exports/columns.ts'
import { delimited } from '../../results/exports/delimited.ts'
import { tableOf } from '../../results/exports/export-job.ts'
import { jsonLines } from '../../results/exports/json.ts'
import { recordBatches } from '../../results/exports/record-batches.ts'
import { type ManifestKind, manifestPart } from '../../results/keys.ts'
import { type JobMetadata, readMetadata, writeManifests } from '../../results/manifests.ts'

export type { JobMetadata, ManifestKind }

interface ResultParts {
  store: Store
  blobs: Blobs
}

/** The cursor of a caller that pages through results: the last record and the last failure that it has read. */
interface ResultPlace {
  record: number
  failure: number
}

interface ResultsOfPage {
  records: StoredRecord[]
  failed: FailedTask[]
  /** Whether more results may follow. */
  isFull: boolean
  place: ResultPlace
}

/** The next results: records first, then failures, each in commit order. So a caller gets each result once, even while the job runs. */
export async function resultsAfter(
  store: Store,
  jobId: string,
  { record, failure }: ResultPlace,
  { limit, wants }: { limit: number; wants: 'success' | 'error' | 'all' },
): Promise<ResultsOfPage> {
  const records = wants === 'error' ? [] : await store.records.list(jobId, { after: record, limit })
  const isCut = isCutShort(records)
  const room = limit - records.length
  const failed =
    wants === 'success' || room === 0 || isCut
      ? []
      : await store.tasks.failed(jobId, { after: failure, limit: room })
  return {
    records,
    failed,
    isFull: isCut || records.length + failed.length === limit,
    place: { record: records.at(-1)?.seq ?? record, failure: failed.at(-1)?.seq ?? failure },
  }
}

/** The summary of an ended job. If the manifests are missing or outdated, they are written first. */
export async function finishedManifests({ store, blobs }: ResultParts, job: Job): Promise<JobMetadata> {
  const metadata = await readMetadata(blobs, job.id)
  const { bytes, records, byState } = await store.jobs.counts(job.id)
  // If the counts are equal, the manifests are up to date, because every attempt changes a count.
  const fits =
    metadata?.state === job.state &&
    metadata.bytes === bytes &&
    metadata.records === records &&
    JSON.stringify(metadata.by_state) === JSON.stringify(byState)
  return fits ? metadata : writeManifests({ store, blobs }, job)
}

/** A part of a manifest as stored (a JSON array). Null if there is no such part. */
export const readManifestPart = (
  { blobs }: ResultParts,
  jobId: string,
  kind: ManifestKind,
  part: number,
): Promise<Buffer | null> => blobs.get(manifestPart(jobId, kind, part))

/** All records as text in batches, so that memory use does not grow with their number. */
export async function* recordText(
  { store }: Pick<ResultParts, 'store'>,
  job: Job,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  const { text, until } = await formatFor(store, job, format)
  yield text.head
  const range = until === undefined ? {} : { until }
  for await (const batch of recordBatches(store.records, job.id, range))
    yield batch.map(record => text.row(record) ?? '').join(text.between)
  yield text.tail
}

async function formatFor(store: Store, job: Job, format: 'ndjson' | 'csv') {
  const { shape, columns } = tableOf(job)
  if (format === 'ndjson') return { text: jsonLines(shape), until: undefined }
  const { table, until } = await survey(recordBatches(store.records, job.id), shape, columns)
  return { text: delimited(',', table), until }
}
