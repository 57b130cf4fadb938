// Exports records as an Excel workbook, written row by row to limit memory.
import { Failure } from '../../model/failures.ts'
import type { Json } from '../../model/record.ts'
import { recordBatches } from './record-batches.ts'
import type { Sink } from './sink.ts'
import type { ExportSource, OnExportProgress } from './source.ts'
import { surveyJob } from './survey-job.ts'
import type { TableColumn } from './table.ts'
import { columnLetters, headRow, sheetHead, sheetRow, sheetTail } from './xlsx-cells.ts'
import { contentTypes, packageRelations, styles, workbook, workbookRelations } from './xlsx-parts.ts'
import { ZipFile } from './zip.ts'

/** Excel's limits. Further rows go to another sheet. */
const mostRows = 1_048_576
const mostColumns = 16_384
/** Sizes in a ZIP archive have 32 bits, so a sheet must stay below 4 GB. */
const mostSheetBytes = 2_000_000_000
const pieceBytes = 262_144

export async function writeXlsx(
  source: ExportSource,
  sink: Sink,
  onProgress: OnExportProgress,
): Promise<number> {
  const { records } = source.store
  const { table, until } = await surveyJob(source)
  if (table.columns.length > mostColumns) throw tooWide(table.columns.length)
  const book = new Workbook(new ZipFile(sink), table.columns)
  let rows = 0
  for await (const batch of recordBatches(records, source.job.id, { until })) {
    for (const record of batch)
      for (const row of table.rows(record) ?? []) {
        await book.add(row)
        rows += 1
      }
    onProgress({ rows, bytes: sink.bytes })
  }
  await book.finish()
  return rows
}

const tooWide = (columns: number): Failure =>
  new Failure(
    'input.invalid',
    `the records have ${columns} columns, and a sheet holds ${mostColumns}; write .csv or .parquet`,
    { columns },
  )

class Workbook {
  readonly #zip: ZipFile
  readonly #columns: readonly TableColumn[]
  readonly #letters: string[]
  #sheets = 0
  /** Number of rows in the open sheet, including the header row. */
  #rows = 0
  #bytes = 0
  #piece = ''

  constructor(zip: ZipFile, columns: readonly TableColumn[]) {
    this.#zip = zip
    this.#columns = columns
    this.#letters = columns.map((_, index) => columnLetters(index))
  }

  async add(values: Json[]): Promise<void> {
    const isFull = this.#rows === mostRows || this.#bytes > mostSheetBytes
    if (this.#sheets === 0 || isFull) await this.#beginSheet()
    this.#rows += 1
    this.#piece += sheetRow(this.#columns, this.#letters, values, this.#rows)
    if (this.#piece.length >= pieceBytes) await this.#flush()
  }

  async finish(): Promise<void> {
    if (this.#sheets === 0) await this.#beginSheet()
    await this.#endSheet()
    const parts = {
      '[Content_Types].xml': contentTypes(this.#sheets),
      'xl/workbook.xml': workbook(this.#sheets),
      'xl/_rels/workbook.xml.rels': workbookRelations(this.#sheets),
      'xl/styles.xml': styles,
    }
    for (const [name, text] of Object.entries(parts)) await this.#zip.add(name, text, { deflated: true })
    await this.#zip.finish()
  }

  async #beginSheet(): Promise<void> {
    if (this.#sheets > 0) await this.#endSheet()
    // Programs recognize the file type by the first entry of the archive, so this entry comes first.
    else await this.#zip.add('_rels/.rels', packageRelations, { deflated: true })
    this.#sheets += 1
    await this.#zip.begin(`xl/worksheets/sheet${this.#sheets}.xml`, { deflated: true })
    this.#rows = 1
    this.#bytes = 0
    this.#piece = sheetHead + headRow(this.#columns, this.#letters)
  }

  async #endSheet(): Promise<void> {
    this.#piece += sheetTail
    await this.#flush()
    await this.#zip.end()
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#piece)
    this.#piece = ''
    this.#bytes += bytes.length
    await this.#zip.write(bytes)
  }
}
