// Tables: which of them hold data, and how those look in markdown.
import type { FlatDocument, NodeId } from '../document/index.ts'

export interface TableRow {
  cells: NodeId[]
  /** In the table's head, or made of header cells only. */
  isHead: boolean
}

/** What a table is made of, without the insides of its cells. */
export interface TableShape {
  rows: TableRow[]
  caption: NodeId | null
  /** Holds another table or a block of code: it arranges things, it does not list them. */
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

/** `cellText` gives a cell as one line of markdown. */
export function writeTable(
  document: FlatDocument,
  rows: TableRow[],
  cellText: (cell: NodeId) => string,
): string {
  const lines = rows.map(row => row.cells.flatMap(cell => spanned(document, cell, cellText(cell))))
  const width = Math.min(maxColumns, Math.max(...lines.map(cells => cells.length)))
  const head = rows[0]!.isHead ? lines.shift()! : []
  return [line(head, width), `|${' --- |'.repeat(width)}`, ...lines.map(cells => line(cells, width))].join(
    '\n',
  )
}

const maxColumns = 100

function spanned(document: FlatDocument, cell: NodeId, text: string): string[] {
  const columns = Number(document.attribute(cell, 'colspan') ?? 1)
  const extra = columns > 1 ? Math.min(columns, maxColumns) - 1 : 0
  return [text.replaceAll('|', '\\|').replace(/\n+/g, ' '), ...Array<string>(extra).fill('')]
}

function line(cells: string[], width: number): string {
  const full = Array.from({ length: width }, (_, column) => cells[column] ?? '')
  return `| ${full.join(' | ')} |`
}
