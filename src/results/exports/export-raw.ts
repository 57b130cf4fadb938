// `jobs export --raw`: a job's raw pages as Parquet under `domain=…/date=YYYY-MM-DD/part-N.parquet`.
import type { Job } from '../../model/job.ts'
import type { Page } from '../../model/page/page.ts'
import { isTerminal, taskStates } from '../../model/task.ts'
import { refuseIfNoneKept } from '../kept-raw.ts'
import { rawRefs } from '../raw-refs.ts'
import { readPages } from '../read-page.ts'
import { claimFolder } from './raw-folder.ts'
import { type PartitionLimits, RawPartitions } from './raw-partitions.ts'
import type { ExportParts, ExportProgress, OnExportProgress } from './source.ts'

/** Every page that was kept, whatever became of its task; `status` tells them apart. */
export async function exportRaw(
  { store, blobs }: ExportParts,
  job: Job,
  folder: string,
  onProgress: OnExportProgress = () => {},
  limits: Partial<PartitionLimits> = {},
): Promise<ExportProgress> {
  refuseIfNoneKept(job)
  await claimFolder(folder, job.id)
  await using partitions = new RawPartitions(folder, limits)
  let rows = 0
  for await (const batch of rawRefs(store.tasks, job.id, taskStates.filter(isTerminal))) {
    const refs = batch.map(raw => raw.ref)
    for await (const page of readPages(blobs, refs)) await partitions.add(page)
    rows += batch.length
    onProgress({ rows, bytes: partitions.bytes })
  }
  await partitions.finish()
  return { rows, bytes: partitions.bytes }
}

/** Pages that come from elsewhere, in the same folders. */
export async function writeRawPages(
  pages: AsyncIterable<Page>,
  jobId: string,
  folder: string,
): Promise<ExportProgress> {
  await claimFolder(folder, jobId)
  await using partitions = new RawPartitions(folder)
  let rows = 0
  for await (const page of pages) {
    await partitions.add(page)
    rows++
  }
  await partitions.finish()
  return { rows, bytes: partitions.bytes }
}
