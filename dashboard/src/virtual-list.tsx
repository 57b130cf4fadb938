// A list of any length that renders only its visible rows, all of one height, and loads more near its end.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Column<Row> {
  name: string
  /** The column width, as in `grid-template-columns`. */
  width: string
  show: (row: Row) => ComponentChildren
  isNumber?: boolean
  /** Makes the column sortable. `isDown`: true is descending, false is ascending, null is not sorted by this column. */
  sort?: { isDown: boolean | null; onSort: () => void }
}

interface VirtualListProps<Row> {
  label: string
  columns: ReadonlyArray<Column<Row>>
  rows: readonly Row[]
  keyOf: (row: Row) => string
  rowHeight?: number
  /** The total number of rows, if known. */
  total?: number | undefined
  isDone: boolean
  isLoading: boolean
  more: () => void
  /** Maximum number of rows that are visible. If the list has more, it scrolls. */
  visibleRows?: number
  /** Below this width the list scrolls horizontally. */
  minWidth?: string
}

const sortWord = ({ sort }: Pick<Column<never>, 'sort'>): 'ascending' | 'descending' | 'none' | undefined =>
  !sort ? undefined : sort.isDown === null ? 'none' : sort.isDown ? 'descending' : 'ascending'

/** Extra rows above and below the visible ones, so that scrolling shows no gaps. */
const overscan = 5

export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { columns, rows, keyOf, rowHeight = 44, isDone, isLoading, more, visibleRows = 14, minWidth } = props
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: rowHeight * visibleRows })
  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan)
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  const look = () => {
    const element = box.current
    if (element) setView({ top: element.scrollTop, height: element.clientHeight })
  }
  useLayoutEffect(look, [rows.length])
  useEffect(() => {
    if (!isDone && !isLoading && end >= rows.length - overscan) more()
  }, [end, rows.length, isDone, isLoading, more])
  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(' '), minWidth }
  return (
    <div
      class="list"
      role="table"
      aria-label={props.label}
      aria-rowcount={props.total ?? (isDone ? rows.length + 1 : -1)}
    >
      <div
        class="list-box"
        ref={box}
        onScroll={look}
        tabIndex={0}
        role="rowgroup"
        style={{ maxHeight: `${rowHeight * visibleRows + 38}px` }}
      >
        <div class="list-head" role="row" style={template}>
          {columns.map(column => (
            <span
              key={column.name}
              role="columnheader"
              class={column.isNumber ? 'number' : ''}
              aria-sort={sortWord(column)}
            >
              {column.sort ? (
                <button type="button" class="sort" onClick={column.sort.onSort}>
                  {column.name} {column.sort.isDown === null ? '' : column.sort.isDown ? '↓' : '↑'}
                </button>
              ) : (
                column.name
              )}
            </span>
          ))}
        </div>
        <div
          class="list-rows"
          role="presentation"
          style={{ height: `${rows.length * rowHeight}px`, minWidth }}
        >
          {rows.slice(first, end).map((row, index) => (
            <div
              key={keyOf(row)}
              class="list-row"
              role="row"
              aria-rowindex={first + index + 2}
              style={{
                ...template,
                transform: `translateY(${(first + index) * rowHeight}px)`,
                height: `${rowHeight}px`,
              }}
            >
              {columns.map(column => (
                <span key={column.name} role="cell" class={column.isNumber ? 'number' : ''}>
                  {column.show(row)}
                </span>
              ))}
            </div>
          ))}
        </div>
        {isLoading && <output class="list-more">Loading…</output>}
      </div>
    </div>
  )
}
