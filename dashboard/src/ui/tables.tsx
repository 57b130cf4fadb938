// Tables: a short one that renders all rows, and a list of any length with a placeholder while it is empty.
import type { ComponentChildren } from 'preact'
import type { Listing } from '../hooks.ts'
import { type Column, VirtualList } from '../virtual-list.tsx'
import { Loading, Problem } from './parts.tsx'
import { ScrollBox } from './scroll-box.tsx'

interface ShortColumn<Row> extends Omit<Column<Row>, 'width'> {
  /** Whether the text may wrap to several lines. */
  isLong?: boolean
}

interface ShortTableProps<Row> {
  columns: ReadonlyArray<ShortColumn<Row>>
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** Hides the column headings. */
  isHeadless?: boolean
  /** Whether the cells of a row are shown below each other on a phone, for rows with sentences. */
  stacks?: boolean
}

export const ShortTable = <Row,>({ columns, rows, keyOf, isHeadless, stacks }: ShortTableProps<Row>) => (
  <ScrollBox label="Table">
    <table class={stacks ? 'stacks' : ''}>
      {!isHeadless && (
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(row => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, show, isNumber, isLong }) => (
              <td key={name} class={`${isNumber ? 'number' : ''}${isLong ? ' wrap' : ''}`}>
                {show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </ScrollBox>
)

interface ListedProps<Row> {
  label: string
  listing: Omit<Listing<Row>, 'change'>
  columns: ReadonlyArray<Column<Row>>
  keyOf: (row: Row) => string
  rowHeight?: number
  minWidth: string
  visibleRows?: number
  total?: number | undefined
  /** The placeholder for a list that is completely loaded and empty. */
  children: ComponentChildren
}

export function Listed<Row>({ listing, children, ...list }: ListedProps<Row>) {
  const { entries, isDone, isLoading, more, problem, reload } = listing
  return (
    <>
      {problem && <Problem message={problem} retry={reload} />}
      {entries.length > 0 && <VirtualList {...list} {...{ isDone, isLoading, more }} rows={entries} />}
      {entries.length === 0 && isLoading && <Loading />}
      {entries.length === 0 && !isLoading && !problem && children}
    </>
  )
}
