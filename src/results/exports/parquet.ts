// Exports records as Parquet. A first pass over the job finds the column types, then row groups of bounded size are
// written.
import { chosenId } from '../../model/ids.ts'
import type { Json, StoredRecord } from '../../model/record.ts'
import { cellText } from './cell-text.ts'
import { type ParquetColumn, ParquetFile } from './parquet-file.ts'
import { recordBatches } from './record-batches.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { surveyJob } from './survey-job.ts'
import type { ColumnKind, Table, TableColumn } from './table.ts'

/** Text per row group in bytes. In memory it takes several times as much. */
const groupBytes = 4 * 1024 * 1024
const groupRows = 50_000

const typeOf: Record<ColumnKind, ParquetColumn['type']> = {
  null: 'STRING',
  boolean: 'BOOLEAN',
  integer: 'INT64',
  number: 'DOUBLE',
  text: 'STRING',
  date: 'DATE',
  time: 'TIMESTAMP',
  json: 'JSON',
}

export async function writeParquet(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const { records } = source.store
  const { table, until } = await surveyJob(source)
  const file = await ParquetFile.open(sink, table.columns.map(columnOf), {
    metadata: { job_id: chosenId(source.job.id) },
  })
  let rows = 0
  for await (const group of rowGroups(recordBatches(records, source.job.id, { until }), table)) {
    await file.writeGroup(table.columns.map((column, index) => group.map(row => cellOf(row[index]!, column))))
    rows += group.length
    onProgress({ rows, bytes: sink.bytes })
  }
  await file.finish()
  return rows
}

const columnOf = ({ name, kind, isList }: TableColumn): ParquetColumn => ({
  name,
  type: typeOf[kind],
  isList,
})

async function* rowGroups(batches: AsyncIterable<StoredRecord[]>, table: Table): AsyncGenerator<Json[][]> {
  let group: Json[][] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const record of batch) {
      group.push(...(table.rows(record) ?? []))
      bytes += record.data.length
    }
    if (bytes < groupBytes && group.length < groupRows) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

function cellOf(value: Json, { kind, isList }: TableColumn): unknown {
  if (value === null) return null
  if (!isList) return typed(value, kind)
  return (Array.isArray(value) ? value : [value]).map(element =>
    element === null ? null : typed(element, kind),
  )
}

function typed(value: Json, kind: ColumnKind): unknown {
  if (kind === 'integer') return BigInt(value as number)
  if (kind === 'date' || kind === 'time') return new Date(value as string)
  return kind === 'text' ? cellText(value) : value
}
