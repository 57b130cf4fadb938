// The action of kscrape query: writes records to Parquet files and runs the query in DuckDB.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFor } from '../../lib/optional-packages.ts'
import { Failure } from '../../model/failures.ts'
import { pageColumns } from '../../model/table-shape.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { openJobReader } from '../jobs/open-job-reader.ts'
import { print, printJson } from '../print.ts'
import { table } from '../show/job-tables.ts'

interface QueryFlags extends CommonFlags {
  job?: string[]
  file?: string[]
}

/** The part of DuckDB's interface that is used. DuckDB is an optional package that users install themselves. */
interface DuckDb {
  DuckDBInstance: {
    create(path: string): Promise<{ connect(): Promise<Connection> }>
  }
}

interface Connection {
  run(sql: string): Promise<unknown>
  runAndReadAll(sql: string): Promise<Reader>
  closeSync(): void
}

interface Reader {
  columnNames(): string[]
  getRowsJson(): unknown[][]
}

export async function query(sql: string, flags: QueryFlags): Promise<void> {
  if ((flags.job === undefined) === (flags.file === undefined))
    throw new Failure('input.invalid', 'name the data: --job ID or --file FILE.parquet')
  const { DuckDBInstance } = await loadDuckDb()
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-query-'))
  try {
    const files = flags.file ?? (await exported(flags, folder))
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    try {
      show(await asked(connection, files, sql), Boolean(flags.json))
    } finally {
      connection.closeSync()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function loadDuckDb(): Promise<DuckDb> {
  const name = '@duckdb/node-api'
  return loadFor('query', async () => (await import(name)) as DuckDb)
}

async function exported(flags: QueryFlags, folder: string): Promise<string[]> {
  await using jobReader = await openJobReader(flags)
  const files: string[] = []
  for (const [index, jobId] of (flags.job ?? []).entries()) {
    const path = join(folder, `${index}.parquet`)
    await jobReader.exportTo(jobId, { path, format: 'parquet' }, { pageColumns: [...pageColumns] })
    files.push(path)
  }
  return files
}

export async function asked(connection: Connection, files: string[], sql: string): Promise<Reader> {
  const list = files.map(path => `'${path.replaceAll("'", "''")}'`).join(', ')
  try {
    await connection.run(`CREATE VIEW records AS SELECT * FROM read_parquet([${list}], union_by_name = true)`)
    return await connection.runAndReadAll(sql)
  } catch (cause) {
    throw new Failure('input.invalid', `DuckDB says: ${(cause as Error).message}`, {}, { cause })
  }
}

function show(reader: Reader, json: boolean): void {
  const names = reader.columnNames()
  const rows = reader.getRowsJson()
  if (json)
    for (const row of rows) printJson(Object.fromEntries(names.map((name, index) => [name, row[index]])))
  else
    print(
      table(
        names,
        rows.map(row => row.map(textOf)),
      ),
    )
}

export const textOf = (value: unknown): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
