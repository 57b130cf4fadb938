// Rows of an Excel sheet as XML. Numbers, booleans and dates have types; everything else is text.
import type { Json } from '../../model/record.ts'
import { cellText } from './cell-text.ts'
import type { TableColumn } from './table.ts'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

/** The header row stays visible when the user scrolls. */
export const sheetHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`

export const sheetTail = '</sheetData></worksheet>'

/** Positions in the list of `styles`. */
const cellStyle = { date: 1, time: 2, head: 3 } as const

/** Excel's limit for the text of a cell. Longer text is cut and ends with "…". */
const mostCharacters = 32_767
/** Excel calculates with 15 digits. Longer numbers are written as text, because Excel would change them. */
const mostInteger = 999_999_999_999_999

/** The letters of a column: 0 is A, 26 is AA. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last
}

export const headRow = (columns: readonly TableColumn[], letters: string[]): string =>
  `<row r="1">${columns.map(({ name }, index) => textCell(`${letters[index]}1`, name, cellStyle.head)).join('')}</row>`

export function sheetRow(
  columns: readonly TableColumn[],
  letters: string[],
  values: Json[],
  row: number,
): string {
  let cells = ''
  for (let index = 0; index < columns.length; index += 1)
    cells += cell(columns[index]!, `${letters[index]}${row}`, values[index]!)
  return `<row r="${row}">${cells}</row>`
}

function cell({ kind, isList }: TableColumn, place: string, value: Json): string {
  if (value === null || value === '') return ''
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (typeof value === 'number' && Math.abs(value) <= mostInteger)
    return `<c r="${place}"><v>${value}</v></c>`
  if ((kind === 'date' || kind === 'time') && !isList) {
    const serial = serialOf(value as string)
    if (serial !== null) return `<c r="${place}" s="${cellStyle[kind]}"><v>${serial}</v></c>`
  }
  return textCell(place, cellText(value))
}

/** Days since 1899-12-30. Excel wrongly has 29 February 1900, so earlier dates stay text. */
function serialOf(text: string): number | null {
  const serial = Date.parse(text) / 86_400_000 + 25_569
  return serial >= 61 ? Number(serial.toFixed(9)) : null
}

function textCell(place: string, text: string, style?: number): string {
  const cut = text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1).toWellFormed()}…` : text
  const styled = style === undefined ? '' : ` s="${style}"`
  return `<c r="${place}" t="inlineStr"${styled}><is><t xml:space="preserve">${escaped(cut)}</t></is></c>`
}

const special = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

/** Characters that XML does not allow are written as `_x0007_`. Texts that look like this are escaped too. */
const escaped = (text: string): string => text.toWellFormed().replace(special, escapedCharacter)

function escapedCharacter(character: string): string {
  if (character === '&') return '&amp;'
  if (character === '<') return '&lt;'
  if (character === '>') return '&gt;'
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
}
