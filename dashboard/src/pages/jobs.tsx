// All jobs, newest first, as they go.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { JobSummary, ServiceEvent } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { rate, short, shortUrl } from '../format.ts'
import { type Listing, useListing, useSession, useSettled } from '../hooks.ts'
import { replace, to } from '../router.ts'
import { hasEnded, jobWords, outcomeTone } from '../state-words.ts'
import { follow } from '../stream.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, Empty, LinkButton, Time } from '../ui/parts.tsx'
import { ProgressCell } from '../ui/progress.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'

const filters: Record<string, { name: string; states: JobSummary['status'][] }> = {
  all: { name: 'All', states: [] },
  open: { name: 'Running', states: ['pending', 'running', 'finishing'] },
  paused: { name: 'Paused', states: ['paused'] },
  failed: { name: 'Failed', states: ['failed', 'partially_completed'] },
  completed: { name: 'Completed', states: ['completed'] },
  cancelled: { name: 'Cancelled', states: ['cancelled'] },
}

/** Looks at single pages are no work of anyone's. */
const isPreview = ({ labels }: JobSummary): boolean => ['preview', 'plan'].includes(labels.purpose ?? '')

export function JobsPage({ place }: PageProps) {
  const { client, may } = useSession()
  const filter = place.query.get('show') ?? 'all'
  const [typed, setTyped] = useState(place.query.get('find') ?? '')
  const text = useSettled(typed, 300)
  const chosen = filters[filter] ?? filters.all!
  const jobs = useListing(
    () =>
      client.jobs.list({
        ...{ counts: true, live: true, pageSize: 50 },
        ...(chosen.states.length > 0 && { status: chosen.states }),
        ...(text && { text }),
      }),
    [client, filter, text],
  )
  const state = useLiveJobs(jobs, chosen.states, text)
  const shown = useMemo(() => jobs.entries.filter(job => !isPreview(job)), [jobs.entries])
  const show = (id: string) => replace(['jobs'], { show: id === 'all' ? undefined : id, find: typed })
  return (
    <>
      <PageHead title="Jobs" sub={lineWords[state]}>
        {may.submit && (
          <LinkButton href="#/new" kind="primary" icon="plus">
            New job
          </LinkButton>
        )}
      </PageHead>
      <div class="toolbar">
        <SearchBox label="Find jobs" placeholder="Id, label or address" value={typed} onInput={setTyped} />
        <fieldset class="chips" aria-label="Show">
          {Object.entries(filters).map(([id, { name }]) => (
            <button key={id} type="button" class="chip" aria-pressed={id === filter} onClick={() => show(id)}>
              {name}
            </button>
          ))}
        </fieldset>
      </div>
      <Card isFlush>
        <Listed
          label="Jobs"
          listing={{ ...jobs, entries: shown }}
          columns={columns}
          keyOf={job => job.jobId}
          rowHeight={60}
          minWidth="900px"
          visibleRows={12}
        >
          <NoJobs isFiltered={Boolean(text) || filter !== 'all'} />
        </Listed>
      </Card>
    </>
  )
}

function NoJobs({ isFiltered }: { isFiltered: boolean }) {
  const { may } = useSession()
  if (isFiltered)
    return (
      <Empty title="No job fits">
        <span>Look for another word, or show all.</span>
        <LinkButton href="#/jobs">Show all jobs</LinkButton>
      </Empty>
    )
  return (
    <Empty icon="jobs" title="No jobs yet">
      {may.submit ? (
        <>
          <span>Paste the address of a page, click what you want of it, and start.</span>
          <LinkButton href="#/new" kind="primary" icon="plus">
            Make the first job
          </LinkButton>
        </>
      ) : (
        <span>Jobs of your workspace are shown here once somebody submits one. Your key can only look.</span>
      )}
    </Empty>
  )
}

const columns: Array<Column<JobSummary>> = [
  {
    name: 'Job',
    width: 'minmax(220px, 2.400fr)',
    show: job => (
      <span class="two-lines">
        <a class="strong" href={to(['jobs', job.jobId])}>
          {job.jobId}
        </a>
        <small>{sourceWords(job)}</small>
      </span>
    ),
  },
  {
    name: 'State',
    width: 'minmax(164px, 1fr)',
    show: job => (
      <Badge state={jobWords({ ...job, waiting: job.live?.waiting, inFlight: job.live?.inFlight })} />
    ),
  },
  {
    name: 'Progress',
    width: 'minmax(140px, 1.400fr)',
    show: job => job.counts && <ProgressCell counts={job.counts} />,
  },
  {
    name: 'Records',
    width: '76px',
    isNumber: true,
    show: job => short(job.counts?.records ?? 0),
  },
  {
    name: 'Rate',
    width: '64px',
    isNumber: true,
    show: job => (hasEnded(job.status) ? <span class="muted">–</span> : rate(job.live?.tasksPerSecond ?? 0)),
  },
  { name: 'Errors', width: 'minmax(120px, 1fr)', show: job => <Errors job={job} /> },
  { name: 'Created', width: '108px', show: job => <Time at={job.createdAt} /> },
]

const kinds = { crawl: 'Crawl', list: 'List', map: 'Map' }

function sourceWords({ live, kind, scheduleId }: JobSummary): string {
  const { first = [], count = 0 } = live?.source ?? {}
  const named = first[0] ? shortUrl(first[0]) : `${count} items`
  const more = count > 1 && first[0] ? ` and ${short(count - 1)} more` : ''
  return `${kinds[kind]} · ${named}${more}${scheduleId ? ` · by ${scheduleId}` : ''}`
}

function Errors({ job }: { job: JobSummary }) {
  const reasons = Object.entries(job.counts?.byReason ?? {})
    .filter(([reason]) => outcomeTone(reason) === 'bad')
    .sort(([, one], [, other]) => other - one)
  const [most] = reasons
  if (!most) return <span class="muted">none</span>
  const all = reasons.map(([reason, times]) => `${times} ${reason}`).join(', ')
  return (
    <span class="two-lines" title={all}>
      <span>{most[0]}</span>
      <small>
        {short(most[1])}
        {reasons.length > 1 && `, +${reasons.length - 1} more`}
      </small>
    </span>
  )
}

type Line = 'connecting' | 'live' | 'waiting'

const lineWords: Record<Line, string> = {
  connecting: 'Connecting…',
  live: 'Live: what changes is shown as it happens.',
  waiting: 'The connection was lost: it is tried again.',
}

/** What comes over the stream is put where it belongs; what fits the filter no more goes. */
function useLiveJobs(
  { change, reload }: Pick<Listing<JobSummary>, 'change' | 'reload'>,
  states: readonly string[],
  text: string,
): Line {
  const { client } = useSession()
  const [state, setState] = useState<Line>('connecting')
  const key = states.join()
  useEffect(() => {
    let isAgain = false
    const fits = (job: JobSummary) => states.length === 0 || states.includes(job.status)
    const onEvent = (event: ServiceEvent) => {
      // What happened while the stream was broken off was told to nobody.
      if (event.event === 'ready' && isAgain) reload()
      isAgain = true
      if (event.event === 'deleted') change(jobs => jobs.filter(({ jobId }) => jobId !== event.data.jobId))
      if (event.event !== 'job') return
      const job = event.data
      change(jobs => {
        const at = jobs.findIndex(({ jobId }) => jobId === job.jobId)
        if (at >= 0) return fits(job) ? jobs.with(at, job) : jobs.toSpliced(at, 1)
        return fits(job) && !text && isNewest(jobs, job) ? [job, ...jobs] : jobs
      })
    }
    return follow({ open: signal => client.events({ signal }), onEvent, onState: setState })
  }, [client, change, reload, key, text])
  return state
}

const isNewest = (jobs: readonly JobSummary[], { createdAt }: JobSummary): boolean =>
  jobs.every(job => job.createdAt <= createdAt)
