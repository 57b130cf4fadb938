// Exports a job to a SQLite file with tables, and views that are easy to query.

import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { failedPages } from '../../lib/list-pages.ts'
import { taskId } from '../../model/ids.ts'
import type { StoredRecord } from '../../model/record.ts'
import { survey } from './columns.ts'
import { recordBatches } from './record-batches.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import type { Table } from './table.ts'
import { currencyKey, placeOfKey } from './table-rows.ts'

const tables = `
  CREATE TABLE raw_records (
    seq INTEGER PRIMARY KEY, job_id TEXT NOT NULL, task_id TEXT NOT NULL, item_id TEXT, record_index INTEGER NOT NULL,
    url TEXT NOT NULL, final_url TEXT NOT NULL, http_status INTEGER NOT NULL, fetched_at TEXT NOT NULL, scraper TEXT NOT NULL,
    data TEXT NOT NULL, provenance TEXT, input TEXT
  );
  CREATE INDEX raw_records_by_url ON raw_records (url);
  CREATE TABLE failures (
    task_id TEXT PRIMARY KEY, item_id TEXT, url TEXT NOT NULL, code TEXT, message TEXT, attempts INTEGER NOT NULL
  );`

const views = `
  CREATE VIEW pages AS
    SELECT url, final_url, http_status, max(fetched_at) AS fetched_at, count(*) AS records FROM raw_records GROUP BY url;
  CREATE VIEW hosts AS
    SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS host, count(*) AS pages, sum(records) AS records
    FROM (SELECT substr(url, instr(url, '://') + 3) AS rest, records FROM pages) GROUP BY host;
  CREATE VIEW failure_codes AS SELECT code, count(*) AS tasks FROM failures GROUP BY code ORDER BY tasks DESC;`

/** Writes a temporary database and copies it when it is complete. */
export async function writeSqlite(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-sqlite-'))
  try {
    const path = join(folder, 'export.sqlite')
    const rows = await fill(path, source, onProgress)
    for await (const chunk of createReadStream(path)) await sink.write(chunk as Buffer)
    return rows
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fill(path: string, source: ExportSource, onProgress: OnExportProgress): Promise<number> {
  using database = new DatabaseSync(path)
  // Durability is off, because after an interruption the temporary file is written again from the start.
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
  database.exec(tables)
  const { records } = source.store
  // Lists stay JSON, because SQLite has json_each for them.
  const { explode: _, ...rest } = source.shape
  const shape = { ...rest, pageColumns: [] }
  const { table, until } = await survey(recordBatches(records, source.job.id), shape, source.columns)
  let rows = 0
  const insert = database.prepare('INSERT INTO raw_records VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  for await (const batch of recordBatches(records, source.job.id, { until })) {
    for (const record of batch) insert.run(...valuesOf(record))
    rows += batch.length
    onProgress({ rows, bytes: 0 })
  }
  await addFailures(database, source)
  database.exec(recordView(table))
  database.exec(`${views} COMMIT`)
  return rows
}

const valuesOf = (record: StoredRecord) => [
  ...[record.seq, record.jobId, taskId(record.jobId, record.n), record.itemId, record.index],
  ...[record.url, record.finalUrl, record.status, new Date(record.fetchedAt).toISOString(), record.scraper],
  ...[record.data, record.provenance, record.input],
]

async function addFailures(database: DatabaseSync, { store, job }: ExportSource): Promise<void> {
  const insert = database.prepare('INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?)')
  for await (const failed of failedPages(store.tasks, job.id))
    for (const { n, itemId, url, reason, message, attempt } of failed)
      insert.run(taskId(job.id, n), itemId, url, reason, message, attempt)
}

/** One column per field; lists and objects stay JSON. A field with the name of one of our columns gets the prefix `_`. */
function recordView({ columns }: Table): string {
  const own = ['seq', 'task_id', 'item_id', 'url', 'final_url', 'http_status', 'fetched_at', 'scraper']
  const taken = new Set(own)
  const keys = new Set(columns.map(({ key }) => key))
  const fields = columns.map(({ key, name }) => {
    let shown = name
    // SQLite ignores letter case in names.
    while (taken.has(shown.toLowerCase())) shown = `_${shown}`
    taken.add(shown.toLowerCase())
    return `${valueSql(key, keys.has(currencyKey(key)))} AS ${identifier(shown)}`
  })
  return `CREATE VIEW records AS SELECT ${[...own, ...fields].join(', ')} FROM raw_records;`
}

/** SQL expression for the value of a column. For money, this is the amount. */
function valueSql(key: string, isMoney: boolean): string {
  const { source, path, isCurrency } = placeOfKey(key)
  const at = (...more: string[]) =>
    `json_extract(${source}, ${text(`$${[...path, ...more].map(name => `.${JSON.stringify(name)}`).join('')}`)})`
  if (isCurrency) return at('currency')
  return isMoney ? `coalesce(${at('amount')}, ${at()})` : at()
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
