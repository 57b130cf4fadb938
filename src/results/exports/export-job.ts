// `jobs export`: a job's records (or pages) into one file, on demand.
import type { Writable } from 'node:stream'
import type { Job, Output } from '../../model/job.ts'
import type { ExportParts, ExportProgress, OnExportProgress } from './source.ts'
import { writeWhole } from './whole.ts'

export function exportJob(
  parts: ExportParts & { stdout: Writable },
  job: Job,
  output: Output,
  onProgress?: OnExportProgress,
): Promise<ExportProgress> {
  const { store, blobs, stdout } = parts
  return writeWhole(output, { store, blobs, stdout, job, ...columnsOf(job) }, onProgress)
}

/** What the job's rules announce, in their order; nothing when a scraper decides. */
export function columnsOf(job: Job): { columns?: string[] } {
  return job.spec.extract === undefined ? {} : { columns: Object.keys(job.spec.extract.fields) }
}
