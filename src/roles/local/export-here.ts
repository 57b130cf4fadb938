// Exports of jobs in a data directory.
import type { Writable } from 'node:stream'
import type { Output } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { writeCrawlee } from '../../results/exports/crawlee.ts'
import { exportJob } from '../../results/exports/export-job.ts'
import { exportRaw, writeRawPages } from '../../results/exports/export-raw.ts'
import { pagesInWarc } from '../../results/exports/warc-pages.ts'
import type { DataDirectory } from '../data-directory.ts'
import { jobNamed } from './look-up.ts'

/** Returns how many records were written. */
export async function exportRecords(
  data: DataDirectory,
  jobId: string,
  output: Output,
  stdout: Writable,
  shape: Partial<TableShape> = {},
): Promise<number> {
  const { store, blobs } = data
  const { rows } = await exportJob({ store, blobs, stdout }, await jobNamed(data, jobId), output, shape)
  return rows
}

/** Raw pages as Parquet; returns how many. */
export async function exportPages(data: DataDirectory, jobId: string, folder: string): Promise<number> {
  const { rows } = await exportRaw(data, await jobNamed(data, jobId), folder)
  return rows
}

/** The records in the layout of Crawlee's datasets; how many they are. */
export async function exportDataset(data: DataDirectory, jobId: string, folder: string): Promise<number> {
  return writeCrawlee(data, await jobNamed(data, jobId), folder)
}

/** Raw pages of a job of a service, from its WARC; returns how many. */
export async function exportPagesOf(
  warc: AsyncIterable<Uint8Array>,
  jobId: string,
  folder: string,
): Promise<number> {
  const { rows } = await writeRawPages(pagesInWarc(warc), jobId, folder)
  return rows
}
