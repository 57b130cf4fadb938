// The tasks of a job, filtered by state, reason and text, loaded as the reader scrolls.
import { useState } from 'preact/hooks'
import type { ItemSummary, JobStatus } from '../../api.ts'
import { count } from '../../format.ts'
import { useListing, useSession, useSettled } from '../../hooks.ts'
import { to } from '../../router.ts'
import { outcomeTone, taskWords } from '../../state-words.ts'
import { Badge, Button, Card, Empty, UrlText } from '../../ui/parts.tsx'
import { SearchBox } from '../../ui/search-box.tsx'
import { Listed } from '../../ui/tables.tsx'
import type { Column } from '../../virtual-list.tsx'

const states: ItemSummary['status'][] = [
  'pending',
  'in_progress',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
]

export function TasksTab({ job, query }: { job: JobStatus; query: URLSearchParams }) {
  const { client } = useSession()
  const [status, setStatus] = useState<ItemSummary['status'] | ''>('')
  const [reason, setReason] = useState(query.get('reason') ?? '')
  const [attempt, setAttempt] = useState(query.get('attempt') ?? '')
  const [typed, setTyped] = useState('')
  const text = useSettled(typed, 300)
  const tasks = useListing(
    signal =>
      client.jobs.items(job.jobId, {
        ...{ pageSize: 50, signal },
        ...(status && { status }),
        ...(reason && { reason }),
        ...(attempt && { attempt }),
        ...(text && { text }),
      }),
    [client, job.jobId, status, reason, attempt, text],
  )
  const isFiltered = Boolean(status || reason || attempt || text)
  return (
    <Card isFlush>
      <div class="card-head">
        <SearchBox
          label="Find tasks"
          placeholder="A part of the URL or message"
          value={typed}
          onInput={setTyped}
        />
        <select
          class="input narrow"
          aria-label="State"
          value={status}
          onChange={event => setStatus(event.currentTarget.value as ItemSummary['status'])}
        >
          <option value="">Any state</option>
          {states.map(state => (
            <option key={state} value={state}>
              {taskWords(state).words} · {count(job.counts.byState[state] ?? 0)}
            </option>
          ))}
        </select>
        <select
          class="input narrow"
          aria-label="Reason"
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
        >
          <option value="">Any reason</option>
          {Object.keys(job.counts.byReason).map(each => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        {attempt && (
          <button type="button" class="chip" aria-pressed onClick={() => setAttempt('')}>
            Attempt: {attempt} ×
          </button>
        )}
        <div class="card-actions">
          <Button isSmall kind="ghost" icon="again" onClick={tasks.reload}>
            Refresh
          </Button>
        </div>
      </div>
      <Listed
        label="Tasks"
        listing={tasks}
        columns={columnsOf(job.jobId)}
        keyOf={task => task.taskId}
        rowHeight={52}
        minWidth="760px"
        total={isFiltered ? undefined : job.counts.tasks}
      >
        <Empty title={isFiltered ? 'No task matches' : 'No tasks yet'}>
          {isFiltered
            ? 'Choose another state or reason.'
            : 'Tasks appear as soon as the job’s source is read.'}
        </Empty>
      </Listed>
    </Card>
  )
}

const columnsOf = (jobId: string): Array<Column<ItemSummary>> => [
  {
    name: 'Task',
    width: 'minmax(260px, 3fr)',
    show: task => (
      <span class="two-lines">
        <a href={to(['jobs', jobId, 'items', task.itemId])}>
          <UrlText url={task.url} />
        </a>
        <small>{task.message ?? task.itemId}</small>
      </span>
    ),
  },
  { name: 'State', width: '130px', show: task => <Badge state={taskWords(task.status)} /> },
  {
    name: 'Reason',
    width: 'minmax(110px, 1fr)',
    show: ({ reason }) =>
      reason ? <span class={`reason ${outcomeTone(reason)}`}>{reason}</span> : <span class="muted">–</span>,
  },
  { name: 'Attempts', width: '72px', isNumber: true, show: ({ attempts }) => attempts },
  { name: 'Depth', width: '56px', isNumber: true, show: ({ depth }) => depth },
]
