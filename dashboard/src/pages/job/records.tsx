// The records of a job as a table whose columns one chooses, and as files.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { type JobStatus, messageOf, type RecordResult, type ResultItem } from '../../api.ts'
import { saveDownload } from '../../download.ts'
import { cell, count, webAddress } from '../../format.ts'
import { useListing, useSession } from '../../hooks.ts'
import { to } from '../../router.ts'
import { hasEnded } from '../../state-words.ts'
import { Button, Card, CheckField, Empty } from '../../ui/parts.tsx'
import { Listed } from '../../ui/tables.tsx'
import type { Column } from '../../virtual-list.tsx'

const formats = [
  ['jsonl', 'JSONL'],
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
] as const

/** More would be too narrow to read; the others are a click away. */
const usualColumns = 6

export function RecordsTab({ job }: { job: JobStatus }) {
  const { client, say } = useSession()
  const [chosen, setChosen] = useState<string[] | null>(null)
  const records = useListing<ResultItem>(
    () => client.jobs.results(job.jobId, { status: 'success', pageSize: 50, metadata: false }),
    [client, job.jobId],
  )
  // New ones are appended only when they are asked for: the table does not move under the reader's hand.
  const rows = records.entries.filter((item): item is RecordResult => item.status === 'success')
  const fields = useMemo(() => fieldsOf(rows), [rows])
  const shown = chosen ?? fields.slice(0, usualColumns)
  const save = async (format: (typeof formats)[number][0]) => {
    try {
      await saveDownload(await client.jobs.export(job.jobId, format))
    } catch (error) {
      say(messageOf(error), 'bad')
    }
  }
  const missing = job.counts.records - rows.length
  return (
    <Card
      isFlush
      title="Records"
      hint={`${count(job.counts.records)} in all`}
      actions={
        <>
          {records.isDone && missing > 0 && (
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
        </>
      }
    >
      <Listed
        label="Records"
        listing={{ ...records, entries: rows }}
        columns={columnsOf(job.jobId, shown)}
        keyOf={row => `${row.taskId} ${rows.indexOf(row)}`}
        minWidth={`${180 + shown.length * 150}px`}
        total={job.counts.records + 1}
      >
        <Empty icon="columns" title="No records">
          {hasEnded(job.status)
            ? 'No page gave one. The reasons are under Outcomes; the rules can be tried in New job.'
            : 'They appear as pages are read.'}
        </Empty>
      </Listed>
    </Card>
  )
}

function fieldsOf(rows: readonly RecordResult[]): string[] {
  const names = new Set<string>()
  for (const { data } of rows.slice(0, 200)) for (const name of Object.keys(data)) names.add(name)
  return [...names]
}

const columnsOf = (jobId: string, fields: readonly string[]): Array<Column<RecordResult>> => [
  {
    name: 'Task',
    width: '180px',
    show: row => (
      <a href={to(['jobs', jobId, 'items', row.itemId])} title={row.url}>
        {row.itemId}
      </a>
    ),
  },
  ...fields.map(name => ({
    name,
    width: 'minmax(120px, 1fr)',
    show: (row: RecordResult) => <Cell value={row.data[name]} />,
  })),
]

function Cell({ value }: { value: unknown }) {
  const text = cell(value)
  if (text === '') return <span class="muted">–</span>
  const short = text.length > 300 ? `${text.slice(0, 300)}…` : text
  const href = typeof value === 'string' ? webAddress(value) : undefined
  if (!href) return <span title={short}>{short}</span>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerpolicy="no-referrer"
      title={short}
    >
      {short}
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
