// Reads the rows of the first sheet of an Excel workbook. The compressed file is in memory; its cells are streamed.
import { Failure } from '../../model/failures.ts'
import type { RowSource } from '../row-source.ts'
import { columnOf, dateText, numberText } from './cell-values.ts'
import { RichText, readWorkbook, type Workbook } from './workbook.ts'
import { parseXml, type XmlHandler } from './xml-events.ts'
import { zipEntries } from './zip-entries.ts'

interface SheetRow {
  /** Row number as in Excel, from 1. */
  row: number
  cells: string[]
}

/** Size limit of the file. A full sheet is smaller. */
const mostBytes = 256 * 1024 * 1024

/** The non-empty rows in order. */
export async function* readXlsx(source: RowSource): AsyncGenerator<SheetRow[]> {
  const path = source.name
  const entries = zipEntries(await allBytes(source))
  if (!entries) throw broken(path)
  try {
    const workbook = await readWorkbook(entries, path)
    const reader = new SheetReader(workbook)
    for await (const _ of parseXml(workbook.sheet.open(), reader)) {
      const rows = reader.take()
      if (rows.length > 0) yield rows
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw broken(path, cause)
  }
}

const broken = (path: string, cause?: unknown): Failure =>
  new Failure(
    'input.invalid',
    `${path} is a damaged Excel file${cause instanceof Error ? `: ${cause.message}` : ''}; save it again, or as .csv`,
    { path },
    { cause },
  )

async function allBytes(source: RowSource): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source.open()) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new Failure('input.invalid', `${source.name} is larger than 256 MB; save it as .csv`, {
        path: source.name,
      })
  }
  return Buffer.concat(chunks)
}

class SheetReader implements XmlHandler {
  readonly #workbook: Workbook
  readonly #text = new RichText()
  #rows: SheetRow[] = []
  #row: SheetRow = { row: 0, cells: [] }
  #cell = { type: 'n', style: 0, column: -1 }
  #value = ''
  #isValue = false

  constructor(workbook: Workbook) {
    this.#workbook = workbook
  }

  take(): SheetRow[] {
    return this.#rows.splice(0)
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#text.open(name)
    if (name === 'row') this.#row = { row: Number(attributes.r ?? this.#row.row + 1), cells: [] }
    if (name === 'v') this.#isValue = true
    if (name !== 'c') return
    const { r, t = 'n', s = '0' } = attributes
    this.#cell = { type: t, style: Number(s), column: r ? columnOf(r) : this.#cell.column + 1 }
    this.#value = ''
  }

  text(piece: string): void {
    this.#text.add(piece)
    if (this.#isValue) this.#value += piece
  }

  close(name: string): void {
    this.#text.close(name)
    if (name === 'v') this.#isValue = false
    if (name === 'c') this.#endCell()
    if (name !== 'row') return
    if (this.#row.cells.some(cell => cell !== '')) this.#rows.push(this.#row)
    this.#cell.column = -1
  }

  #endCell(): void {
    const { cells } = this.#row
    while (cells.length < this.#cell.column) cells.push('')
    cells[this.#cell.column] = this.#cellText()
  }

  #cellText(): string {
    const inline = this.#text.take()
    const { type, style } = this.#cell
    if (type === 'inlineStr') return inline
    if (type === 's') return this.#workbook.texts[Number(this.#value)] ?? ''
    if (type === 'b') return this.#value === '1' ? 'TRUE' : 'FALSE'
    if (type !== 'n') return this.#value
    const isDate = this.#workbook.dateStyles[style] === true
    return isDate ? dateText(this.#value, this.#workbook.from1904) : numberText(this.#value)
  }
}
