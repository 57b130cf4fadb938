// Writes a complete export in one pass, streamed from the store.
import type { Output, OutputFormat } from '../../model/job.ts'
import { writeCdxj } from './cdxj.ts'
import { delimited } from './delimited.ts'
import { writeHar } from './har.ts'
import { jsonArray, jsonLines } from './json.ts'
import { markdown } from './markdown.ts'
import { writeParquet } from './parquet.ts'
import { recordBatches } from './record-batches.ts'
import { openStream, openWhole, type Sink } from './sink.ts'
import type { ExportProgress, ExportSource, OnExportProgress } from './source.ts'
import { writeSqlite } from './sqlite.ts'
import { surveyJob } from './survey-job.ts'
import type { TextFormat } from './text-format.ts'
import { writeWacz } from './wacz.ts'
import { writeWarc } from './warc.ts'
import { writeXlsx } from './xlsx.ts'

/** Writes the source to the sink. Resolves with the number of rows. */
type WriteExport = (source: ExportSource, sink: Sink, onProgress: OnExportProgress) => Promise<number>

const writers: Record<OutputFormat, WriteExport> = {
  jsonl: writeText(async ({ shape }) => ({ format: jsonLines(shape) })),
  json: writeText(async ({ shape }) => ({ format: jsonArray(shape) })),
  md: writeText(async ({ shape }) => ({ format: markdown(shape) })),
  csv: writeText(source => prepareDelimited(',', source)),
  tsv: writeText(source => prepareDelimited('\t', source)),
  xlsx: writeXlsx,
  parquet: writeParquet,
  'warc.gz': writeWarc,
  wacz: writeWacz,
  cdxj: writeCdxj,
  har: writeHar,
  sqlite: writeSqlite,
}

/** Writes the complete file. It appears under its name when it is complete; until then the old file stays. */
export async function writeWhole(
  output: Output,
  given: Omit<ExportSource, 'path'>,
  onProgress: OnExportProgress = () => {},
): Promise<ExportProgress> {
  const source = { ...given, path: output.path }
  await using sink = output.path === '-' ? openStream(source.stdout) : await openWhole(output.path)
  const rows = await writers[output.format](source, sink, onProgress)
  await sink.finish()
  return { rows, bytes: sink.bytes }
}

interface Prepared {
  format: TextFormat
  /** Sequence number of the last record that was read for the columns. Later records may need further columns, so they
   *  are not written. */
  until?: number
}

async function prepareDelimited(delimiter: ',' | '\t', source: ExportSource): Promise<Prepared> {
  const { table, until } = await surveyJob(source)
  return { format: delimited(delimiter, table), until }
}

function writeText(prepare: (source: ExportSource) => Promise<Prepared>): WriteExport {
  return async (source, sink, onProgress) => {
    const { format, ...range } = await prepare(source)
    await sink.write(format.head)
    let rows = 0
    for await (const batch of recordBatches(source.store.records, source.job.id, range)) {
      const text = batch.map(format.row).join(format.between)
      await sink.write(rows === 0 ? text : format.between + text)
      rows += batch.length
      onProgress({ rows, bytes: sink.bytes })
    }
    await sink.write(format.tail)
    return rows
  }
}
