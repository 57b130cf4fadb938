// Writes a job's records or pages to one file on request (`jobs export`).

import type { Writable } from 'node:stream'
import type { ExtractionRules, FieldRule } from '../../model/extraction-rules.ts'
import type { Job, Output } from '../../model/job.ts'
import { type TableShape, tableShapeOf } from '../../model/table-shape.ts'
import type { ExportParts, ExportProgress, ExportSource } from './source.ts'
import { columnKey, currencyKey } from './table-rows.ts'
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

/** The table shape of the job with the overrides of the export, and the columns of the job's rules. */
export function tableOf(
  { spec }: Job,
  override: Partial<TableShape> = {},
): Pick<ExportSource, 'shape' | 'columns'> {
  const shape = { ...tableShapeOf(spec.results), ...override }
  return spec.extract === undefined ? { shape } : { shape, columns: announcedColumns(spec.extract, shape) }
}

/** The column keys, in the order of the rules. Fields with unknown inner structure get further columns when their
 *  records are read. */
const announcedColumns = ({ fields }: ExtractionRules, { explode }: TableShape): string[] =>
  keysOf(fields, [], explode)

const keysOf = (
  fields: Record<string, string | FieldRule>,
  path: string[],
  explode: string | undefined,
): string[] => Object.entries(fields).flatMap(([name, rule]) => keysOfField([...path, name], rule, explode))

function keysOfField(path: string[], rule: string | FieldRule, explode: string | undefined): string[] {
  const key = columnKey('data', ...path)
  if (typeof rule === 'string') return [key]
  if (rule.many === true && path.join('.') !== explode) return [key]
  if (rule.fields) return keysOf(rule.fields, path, explode)
  return rule.as === 'money' ? [key, currencyKey(key)] : [key]
}
