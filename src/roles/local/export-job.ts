// Exports of jobs in a data directory.
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { openFileBlobs } from '../../adapters/fs/blobs.ts'
import { hasEnded, type Output } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { describePage } from '../../pipeline/report/describe-page.ts'
import { writeCrawlee } from '../../results/exports/crawlee.ts'
import { exportJob } from '../../results/exports/export-job.ts'
import { exportRaw } from '../../results/exports/export-raw.ts'
import type { DataDirectory } from '../data-directory.ts'
import { jobNamed } from './look-up.ts'
import { claimRawFolder } from './raw-folder.ts'

/** Returns how many records were written. */
export async function exportRecords(
  data: DataDirectory,
  jobId: string,
  output: Output,
  stdout: Writable,
  shape: Partial<TableShape> = {},
): Promise<number> {
  const { store, blobs } = data
  const { rows } = await exportJob(
    { store, blobs, describePage, stdout },
    await jobNamed(data, jobId),
    output,
    shape,
  )
  return rows
}

/** Exports raw pages as Parquet. Returns the number of pages. An interrupted export continues. */
export async function exportPages(data: DataDirectory, jobId: string, folder: string): Promise<number> {
  const job = await jobNamed(data, jobId)
  await claimRawFolder(folder, job.id)
  await using blobs = await openFileBlobs(resolve(folder))
  const { rows } = await exportRaw(data, job, { blobs, prefix: '' }, { isOver: hasEnded(job.state) })
  return rows
}

/** Writes the records in the layout of Crawlee's datasets. Returns the number of records. */
export async function exportDataset(data: DataDirectory, jobId: string, folder: string): Promise<number> {
  return writeCrawlee(data, await jobNamed(data, jobId), folder)
}
