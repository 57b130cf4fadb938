// Writes a job's records or pages to one file on request (`jobs export`).
import type { Writable } from 'node:stream'
import type { Job, Output } from '../../model/job.ts'
import { type TableShape, tableShapeOf } from '../../model/table-shape.ts'
import { announcedColumns } from './announced-columns.ts'
import type { ExportParts, ExportProgress, ExportSource } from './source.ts'
import { writeWhole } from './whole.ts'

export function exportJob(
  parts: ExportParts & { stdout: Writable },
  job: Job,
  output: Output,
  shape: Partial<TableShape> = {},
): Promise<ExportProgress> {
  const { store, blobs, stdout, describePage } = parts
  const mustExplode = shape.explode !== undefined
  const source = { store, blobs, stdout, job, mustExplode, ...(describePage && { describePage }) }
  return writeWhole(output, { ...source, ...tableOf(job, shape) })
}

/** The table shape of the job, with the overrides of an export, and the columns of its rules. */
export function tableOf(
  { spec }: Job,
  override: Partial<TableShape> = {},
): Pick<ExportSource, 'shape' | 'columns'> {
  const shape = { ...tableShapeOf(spec.results), ...override }
  return spec.extract === undefined ? { shape } : { shape, columns: announcedColumns(spec.extract, shape) }
}
