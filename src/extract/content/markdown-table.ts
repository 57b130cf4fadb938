// Decides which tables contain data, and writes those as markdown.
import type { FlatDocument, NodeId } from '../document/index.ts'

export interface TableRow {
  cells: NodeId[]
  /** True if the row is in the table's head. Also true for the first row if it has only header cells. */
  isHead: boolean
}

/** The structure of a table without the content of its cells. */
export interface TableShape {
  rows: TableRow[]
  caption: NodeId | null
  /** True for a layout table: it contains another table or a code block. */
  isArrangement: boolean
}

const longCell = 600

export function tableShape(document: FlatDocument, table: NodeId): TableShape {
  const shape: TableShape = { rows: [], caption: null, isArrangement: false }
  let headEnd = 0
  for (let node = table + 1; node < document.end(table); node++) {
    if (!document.isElement(node)) continue
    const name = document.name(node)
    if (name === 'thead') headEnd = document.end(node)
    else if (name === 'caption') shape.caption ??= node
    else if (name === 'tr') shape.rows.push({ cells: [], isHead: node < headEnd })
    else if (name === 'td' || name === 'th') shape.rows.at(-1)?.cells.push(node)
    else if (name === 'table' || name === 'pre') {
      shape.isArrangement = true
      return shape
    }
  }
  shape.rows = shape.rows.filter(row => row.cells.length > 0)
  const [first] = shape.rows
  if (first !== undefined) first.isHead ||= first.cells.every(cell => document.name(cell) === 'th')
  return shape
}

export function isDataTable(
  document: FlatDocument,
  table: NodeId,
  { rows, isArrangement }: TableShape,
): boolean {
  const role = document.attribute(table, 'role')
  if (isArrangement || role === 'presentation' || role === 'none') return false
  if (rows.length < 2 || rows.every(row => row.cells.length < 2)) return false
  if (rows[0]!.isHead) return true
  return rows.every(row => row.cells.every(cell => document.text(cell).length < longCell))
}

/** Writes a table. `cellText` returns a cell as one line of markdown. */
export function writeTable(
  document: FlatDocument,
  rows: TableRow[],
  cellText: (cell: NodeId) => string,
): string {
  const lines = filledRows(document, rows, cellText)
  const width = Math.min(maxColumns, Math.max(...lines.map(cells => cells.length)))
  const headRows = headCount(document, rows)
  const head = joinedHead(lines.slice(0, headRows), width)
  const body = lines.slice(headRows).map(cells => line(cells, width))
  return [line(head, width), `|${' --- |'.repeat(width)}`, ...body].join('\n')
}

const maxColumns = 100

/** Repeats cells that span columns or rows, so that each line has all columns. A cell that spans a whole row occurs
 *  once. */
function filledRows(
  document: FlatDocument,
  rows: TableRow[],
  cellText: (cell: NodeId) => string,
): string[][] {
  const lines: string[][] = rows.map(() => [])
  for (const [index, { cells }] of rows.entries()) {
    const line = lines[index]!
    let column = 0
    for (const cell of cells) {
      while (line[column] !== undefined) column++
      if (column >= maxColumns) break
      const text = cellText(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')
      if (document.startTagLength(cell) <= bareCell || !document.startTag(cell).includes('=')) {
        line[column++] = text
        continue
      }
      const width = Math.min(spanOf(document, cell, 'colspan'), maxColumns - column)
      const height = Math.min(rowSpanOf(document, cell), rows.length - index)
      const repeated = cells.length === 1 && column === 0 ? '' : text
      for (let below = index; below < index + height; below++)
        for (let right = column; right < column + width; right++)
          lines[below]![right] = right === column ? text : repeated
      column += width
    }
  }
  return lines
}

/** Length of the tag `<td>`. A tag of this length has no attributes, so it has no span. */
const bareCell = 4

function spanOf(document: FlatDocument, cell: NodeId, name: 'colspan' | 'rowspan'): number {
  const span = Number(document.attribute(cell, name) ?? 1)
  return span > 1 ? Math.floor(Math.min(span, 1_000)) : 1
}

/** A `rowspan` of 0 extends to the end of the table. */
function rowSpanOf(document: FlatDocument, cell: NodeId): number {
  return document.attribute(cell, 'rowspan') === '0' ? 1_000 : spanOf(document, cell, 'rowspan')
}

/** Number of head rows. At least one row is left as data. */
function headCount(document: FlatDocument, rows: TableRow[]): number {
  const isHead = (row: TableRow) => row.isHead || row.cells.every(cell => document.name(cell) === 'th')
  let count = 0
  while (count < rows.length - 1 && (count === 0 ? rows[0]!.isHead : isHead(rows[count]!))) count++
  return count
}

/** Joins several head rows into one, such as "2024 / Q1". */
function joinedHead(lines: string[][], width: number): string[] {
  const [only = [], ...others] = lines
  if (others.length === 0) return only
  return Array.from({ length: width }, (_, column) =>
    [...new Set(lines.map(cells => cells[column] ?? ''))].filter(text => text !== '').join(' / '),
  )
}

function line(cells: string[], width: number): string {
  let text = '|'
  for (let column = 0; column < width; column++) text += ` ${cells[column] ?? ''} |`
  return text
}
