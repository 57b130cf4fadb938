// One output of a job in any format. It grows while the job runs and is complete when the job ends.
import type { Output } from '../../model/job.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { OutputProgress } from '../../ports/store.ts'
import { AppendExport } from './append-export.ts'
import { survey } from './columns.ts'
import { delimited } from './delimited.ts'
import { jsonLines } from './json.ts'
import { markdown } from './markdown.ts'
import { recordBatches } from './record-batches.ts'
import type { ExportSource } from './source.ts'
import type { TextFormat } from './text-format.ts'
import { writeWhole } from './whole.ts'

export interface JobExport extends AsyncDisposable {
  /** Writes newly committed records. The caller stores the returned progress; null if nothing was written. */
  advance(): Promise<OutputProgress | null>
  /** Completes the file. Call when the job has ended. */
  finish(): Promise<OutputProgress>
}

/** `progress` is the stored progress of this output, if any. */
export async function openExport(
  output: Output,
  source: Omit<ExportSource, 'path'>,
  progress?: OutputProgress,
): Promise<JobExport> {
  if (!canGrow(output, source.columns)) return wholeExport(output, source)
  const from = progress ?? notBegun(output)
  return growingExport(
    output,
    source,
    await AppendExport.open(() => growingFormat(output, source), from, source.stdout),
  )
}

/** True for formats that can grow with the job. CSV and TSV can grow only if their columns are known and the
 *  output is a file. A file can be rewritten if more columns appear. */
function canGrow({ format, path }: Output, columns?: readonly string[]): boolean {
  if (format === 'jsonl' || format === 'md') return true
  return columns !== undefined && path !== '-' && (format === 'csv' || format === 'tsv')
}

/** The format of a file that grows. The columns of input rows come from the first record. A later record with
 *  other columns cannot be written in this format. */
async function growingFormat(
  { format }: Output,
  { shape, columns = [], store, job }: Omit<ExportSource, 'path'>,
): Promise<TextFormat> {
  if (format === 'jsonl') return jsonLines(shape)
  if (format === 'md') return markdown(shape)
  const first = await store.records.list(job.id, { after: 0, limit: 1 })
  const { table } = await survey(onlyInputs(first), shape, columns)
  return delimited(format === 'csv' ? ',' : '\t', table)
}

async function* onlyInputs(records: StoredRecord[]): AsyncGenerator<StoredRecord[]> {
  if (records.length > 0) yield records.map(record => ({ ...record, data: '{}' }))
}

function growingExport(output: Output, source: Omit<ExportSource, 'path'>, file: AppendExport): JobExport {
  const { store, job } = source
  // False after a record with an unknown field. The file is then rewritten when the job ends, with a column
  // for that field.
  let fits = true
  const advance = async (): Promise<OutputProgress | null> => {
    if (!fits) return null
    const before = file.seq
    for await (const batch of recordBatches(store.records, job.id, { after: before })) {
      fits = await file.write(batch)
      if (!fits) break
    }
    return file.seq === before ? null : file.sync()
  }
  const finish = async (): Promise<OutputProgress> => {
    await advance()
    return fits ? file.finish() : finishWhole(output, source)
  }
  return { advance, finish, [Symbol.asyncDispose]: () => file[Symbol.asyncDispose]() }
}

function wholeExport(output: Output, source: Omit<ExportSource, 'path'>): JobExport {
  return {
    advance: async () => null,
    finish: () => finishWhole(output, source),
    [Symbol.asyncDispose]: async () => {},
  }
}

async function finishWhole(output: Output, source: Omit<ExportSource, 'path'>): Promise<OutputProgress> {
  await writeWhole(output, source)
  return { ...notBegun(output), done: true }
}

// The progress of a file without records. It is also stored for a complete file that was written in one pass.
// So if the job is reopened, this file is written again from the start.
const notBegun = ({ path, format }: Output): OutputProgress => ({
  path,
  format,
  seq: 0,
  bytes: 0,
  done: false,
})
