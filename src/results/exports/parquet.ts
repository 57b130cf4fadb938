// Records as Parquet: column types from a first pass over the job, then row groups of bounded size.
import { chosenId } from '../../model/ids.ts'
import type { Json, PageNote, RecordData, StoredRecord } from '../../model/record.ts'
import { type ColumnKind, survey } from './columns.ts'
import { pageNote } from './page-note.ts'
import { type ParquetColumn, ParquetFile, type ParquetStruct } from './parquet-file.ts'
import { recordBatches } from './record-batches.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'

/** Stored text per row group; as values, columns and pages it is held several times over. */
const groupBytes = 4 * 1024 * 1024
const groupRows = 50_000

const typeOf: Record<ColumnKind, ParquetColumn['type']> = {
  null: 'STRING',
  boolean: 'BOOLEAN',
  integer: 'INT64',
  number: 'DOUBLE',
  text: 'STRING',
  json: 'JSON',
}

const pageStruct: ParquetStruct = {
  name: '_page',
  fields: [
    { name: 'url', type: 'STRING' },
    { name: 'final_url', type: 'STRING' },
    { name: 'status', type: 'INT32' },
    { name: 'fetched_at', type: 'TIMESTAMP' },
    { name: 'task_id', type: 'STRING' },
    { name: 'scraper', type: 'STRING' },
    { name: 'item_id', type: 'STRING' },
    { name: 'way', type: 'STRING' },
    { name: 'why', type: 'STRING' },
    { name: 'artifacts', type: 'JSON' },
    { name: 'warnings', type: 'JSON' },
  ] satisfies Array<ParquetColumn & { name: keyof PageNote }>,
}

export async function writeParquet(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const { records } = source.store
  const { columns, until } = await survey(recordBatches(records, source.job.id), source.columns)
  const file = await ParquetFile.open(sink, [...columnsOf(columns), pageStruct], {
    metadata: { job_id: chosenId(source.job.id) },
  })
  let rows = 0
  for await (const group of rowGroups(recordBatches(records, source.job.id, { until }))) {
    await file.writeGroup(valuesOf(group, columns))
    rows += group.length
    onProgress({ rows, bytes: sink.bytes })
  }
  await file.finish()
  return rows
}

const columnsOf = (columns: Map<string, ColumnKind>): ParquetColumn[] =>
  [...columns].map(([name, kind]) => ({ name, type: typeOf[kind] }))

async function* rowGroups(batches: AsyncIterable<StoredRecord[]>): AsyncGenerator<StoredRecord[]> {
  let group: StoredRecord[] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const record of batch) {
      group.push(record)
      bytes += record.data.length
    }
    if (bytes < groupBytes && group.length < groupRows) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

function valuesOf(group: StoredRecord[], columns: Map<string, ColumnKind>): unknown[][] {
  const rows: RecordData[] = group.map(record => JSON.parse(record.data))
  const fields = [...columns].map(([name, kind]) => rows.map(row => cellOf(row[name], kind)))
  return [...fields, group.map(pageValue)]
}

function cellOf(value: Json | undefined, kind: ColumnKind): unknown {
  if (value === undefined || value === null) return null
  return kind === 'integer' ? BigInt(value as number) : value
}

function pageValue(record: StoredRecord): object {
  return { ...pageNote(record), fetched_at: new Date(record.fetchedAt) }
}
