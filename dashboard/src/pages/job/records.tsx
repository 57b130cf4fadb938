// The records of a job as a table with selectable columns, and as files.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type JobStatus, messageOf, type ResultItem, type SearchQuery } from '../../api.ts'
import { saveDownload, saveText } from '../../download.ts'
import { cell, count, webAddress } from '../../format.ts'
import { useListing, useSession, useSettled } from '../../hooks.ts'
import { to } from '../../router.ts'
import { hasEnded } from '../../state-words.ts'
import { Button, Card, CheckField, Empty, Problem, SelectField, TextField, UrlText } from '../../ui/parts.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Listed } from '../../ui/tables.tsx'
import type { Column } from '../../virtual-list.tsx'
import { RecordPanel } from './record-panel.tsx'
import { comparisons, csvOf, isInput, type Row, type Sorting, sorted, withInput } from './records-view.ts'
import { type Comparison, useComparison } from './use-comparison.ts'

const formats = [
  ['jsonl', 'JSONL'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const

/** Columns shown by default. More columns would be too narrow; the user can select others. */
const usualColumns = 6
/** Maximum number of rows that are loaded for sorting. */
const mostSorted = 20_000

export function RecordsTab({ job }: { job: JobStatus }) {
  const { client, say } = useSession()
  const [chosen, setChosen] = useState<string[] | null>(null)
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const [opened, setOpened] = useState<Row | null>(null)
  const [typed, setTyped] = useState('')
  const [filter, setFilter] = useState<Filter>({ field: '', is: 'contains', value: '' })
  const text = useSettled(typed.trim(), 300)
  const only = useSettled(JSON.stringify(isComplete(filter) ? filter : null), 300)
  const isNarrowed = text !== '' || only !== 'null'
  const comparison = useComparison(job)
  const records = useListing<Row>(
    () =>
      isNarrowed
        ? client.search(queryOf(job.jobId, text, JSON.parse(only)), { pageSize: 200 })
        : successes(client.jobs.results(job.jobId, { status: 'success', pageSize: 50, metadata: false })),
    [client, job.jobId, text, only],
  )
  // New records are added only on request, so that the table does not move while it is read.
  const fields = useMemo(() => fieldsOf(records.entries), [records.entries])
  const shown = chosen ?? fields.slice(0, usualColumns)
  const rows = useMemo(() => sorted(records.entries, sorting), [records.entries, sorting])
  // Sorting needs all rows, so load the rest.
  useEffect(() => {
    if (sorting && !records.isDone && !records.isLoading && rows.length < mostSorted) records.more()
  }, [sorting, records.isDone, records.isLoading, rows.length])
  const sort = (field: string) =>
    setSorting(before =>
      before?.field !== field ? { field, isDown: false } : before.isDown ? null : { field, isDown: true },
    )
  const save = async (format: (typeof formats)[number][0]) => {
    try {
      await saveDownload(await client.jobs.export(job.jobId, format))
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  const missing = job.counts.records - rows.length
  return (
    <>
      <Card
        isFlush
        title="Records"
        hint={isNarrowed ? `${count(rows.length)} found` : `${count(job.counts.records)} in all`}
        actions={
          <>
            {!isNarrowed && records.isDone && missing > 0 && (
              <Button isSmall kind="ghost" icon="again" onClick={records.reload}>
                Show {count(missing)} more
              </Button>
            )}
            {fields.length > 0 && <ColumnChooser fields={fields} shown={shown} onChange={setChosen} />}
            {formats.map(([format, name]) => (
              <Button
                key={format}
                isSmall
                icon="down"
                disabled={job.counts.records === 0}
                onClick={() => save(format)}
              >
                {name}
              </Button>
            ))}
            <Button
              isSmall
              icon="down"
              disabled={rows.length === 0}
              onClick={() => saveText(`${job.jobId}-view.csv`, csvOf(shown, rows))}
            >
              This view
            </Button>
          </>
        }
      >
        <div class="toolbar in-card">
          <SearchBox label="Find records" placeholder="Words in any field" value={typed} onInput={setTyped} />
          <FilterBar fields={fields.filter(name => !isInput(name))} filter={filter} onChange={setFilter} />
          {comparison && (
            <button type="button" class="chip" aria-pressed={comparison.isOn} onClick={comparison.toggle}>
              Compare with the previous run
            </button>
          )}
        </div>
        {comparison?.problem && <Problem message={comparison.problem} />}
        {comparison?.counts && (
          <p class="note" role="status">
            Since {comparison.against}: {comparison.counts.new} new, {comparison.counts.changed} changed,{' '}
            {comparison.counts.gone} gone.
          </p>
        )}
        {sorting && !records.isDone && (
          <p class="note" role="status">
            Sorted: the first {count(rows.length)} records. The others are still loading.
          </p>
        )}
        <Listed
          label="Records"
          listing={{ ...records, entries: rows as Row[] }}
          columns={columnsOf({
            jobId: job.jobId,
            fields: shown,
            sorting,
            sort,
            onOpen: setOpened,
            comparison,
          })}
          keyOf={row => `${row.taskId} ${records.entries.indexOf(row)}`}
          rowHeight={54}
          minWidth={`${200 + shown.length * 150}px`}
          total={isNarrowed ? undefined : job.counts.records + 1}
        >
          <Empty icon="columns" title={isNarrowed ? 'No record matches' : 'No records'}>
            {isNarrowed
              ? 'Search for other words, or clear the filter.'
              : hasEnded(job.status)
                ? 'No page gave a record. Outcomes shows the reasons. You can test the rules in New job.'
                : 'Records appear as pages are parsed.'}
          </Empty>
        </Listed>
      </Card>
      {opened && (
        <RecordPanel
          key={`${opened.taskId} ${records.entries.indexOf(opened)}`}
          jobId={job.jobId}
          row={opened}
          record={isNarrowed ? null : placeIn(records.entries, opened)}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

async function* successes(results: AsyncGenerator<ResultItem>): AsyncGenerator<Row> {
  for await (const item of results) if (item.status === 'success') yield withInput(item)
}

/** The index of the record on its page. Records of a page are adjacent and in the order of the page. */
const placeIn = (rows: readonly Row[], row: Row): number =>
  rows.filter(({ taskId }) => taskId === row.taskId).indexOf(row)

interface Filter {
  field: string
  is: (typeof comparisons)[number][0]
  value: string
}

const isComplete = ({ field, value }: Filter): boolean => field !== '' && value.trim() !== ''

const queryOf = (jobId: string, text: string, filter: Filter | null): SearchQuery => ({
  jobId,
  ...(text !== '' && { text }),
  ...(filter && { filters: [{ ...filter, value: comparedWith(filter) }] }),
})

/** The filter value. If it looks like a number, it is compared as a number. */
const comparedWith = ({ is, value }: Filter): string | number =>
  is !== 'contains' && /^[+-]?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value.trim()

interface FilterProps {
  fields: readonly string[]
  filter: Filter
  onChange: (filter: Filter) => void
}

const FilterBar = ({ fields, filter, onChange }: FilterProps) => (
  <div class="url-bar">
    <SelectField
      label="Field"
      value={filter.field}
      options={[['', 'no filter'], ...fields.map(name => [name, name] as const)]}
      onChange={field => onChange({ ...filter, field })}
    />
    {filter.field !== '' && (
      <>
        <SelectField
          label="Test"
          value={filter.is}
          options={comparisons}
          onChange={is => onChange({ ...filter, is })}
        />
        <TextField label="Value" value={filter.value} onInput={value => onChange({ ...filter, value })} />
      </>
    )}
  </div>
)

function fieldsOf(rows: readonly Row[]): string[] {
  const names = new Set<string>()
  for (const { data } of rows.slice(0, 200)) for (const name of Object.keys(data)) names.add(name)
  return [...names]
}

interface ColumnsOptions {
  jobId: string
  fields: readonly string[]
  sorting: Sorting | null
  sort: (field: string) => void
  onOpen: (row: Row) => void
  comparison: Comparison | null
}

const columnsOf = ({
  jobId,
  fields,
  sorting,
  sort,
  onOpen,
  comparison,
}: ColumnsOptions): Array<Column<Row>> => [
  {
    name: 'Task',
    width: '200px',
    show: row => (
      <span class="two-lines">
        <a href={to(['jobs', jobId, 'items', row.itemId])} title={row.url}>
          {row.itemId}
        </a>
        <button type="button" class="row-button" onClick={() => onOpen(row)}>
          beside its page
        </button>
      </span>
    ),
  },
  ...(comparison?.isOn
    ? [
        {
          name: 'Since previous run',
          width: '120px',
          show: ({ itemId }: Row) => comparison.items.get(itemId)?.difference ?? 'unchanged',
        },
      ]
    : []),
  ...fields.map(name => ({
    name,
    width: 'minmax(120px, 1fr)',
    sort: { isDown: sorting?.field === name ? sorting.isDown : null, onSort: () => sort(name) },
    show: (row: Row) => {
      const compared = comparison?.items.get(row.itemId)
      const isChanged = compared?.fields?.includes(name) ?? false
      const before = isChanged ? cell(compared?.before?.data[name]) : null
      return <Cell value={row.data[name]} before={before} />
    },
  })),
]

/** A cell. `before` is the value in the previous run; null if it did not change. */
function Cell({ value, before }: { value: unknown; before: string | null }) {
  const text = cell(value)
  const title = before === null ? text.slice(0, 300) : `before: ${before}`
  const look = before === null ? '' : 'cell-changed'
  if (text === '')
    return (
      <span class={`muted ${look}`} title={title}>
        –
      </span>
    )
  const href = typeof value === 'string' ? webAddress(value) : undefined
  if (!href)
    return (
      <span class={look} title={title}>
        {text.length > 300 ? `${text.slice(0, 300)}…` : text}
      </span>
    )
  return (
    <a
      class={look}
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerpolicy="no-referrer"
      title={title}
    >
      <UrlText url={text} />
    </a>
  )
}

interface ChooserProps {
  fields: readonly string[]
  shown: readonly string[]
  onChange: (shown: string[]) => void
}

function ColumnChooser({ fields, shown, onChange }: ChooserProps) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setOpen(false)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isOpen])
  const toggle = (name: string, isOn: boolean) =>
    onChange(fields.filter(field => (field === name ? isOn : shown.includes(field))))
  return (
    <div class="popover">
      <Button isSmall icon="columns" isPressed={isOpen} onClick={() => setOpen(!isOpen)}>
        Columns
      </Button>
      {isOpen && (
        <fieldset class="popover-box" aria-label="Columns">
          {fields.map(name => (
            <CheckField
              key={name}
              label={name}
              checked={shown.includes(name)}
              onChange={isOn => toggle(name, isOn)}
            />
          ))}
        </fieldset>
      )}
    </div>
  )
}
