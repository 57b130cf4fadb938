// All jobs, newest first, updated live.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JobSummary, ServiceEvent } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { rate, several, short, shortUrl } from '../format.ts'
import { useListing, useSession, useSettled } from '../hooks.ts'
import { replace, to } from '../router.ts'
import { hasEnded, jobWords, outcomeTone } from '../state-words.ts'
import { follow } from '../stream.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, Empty, LinkButton, Time } from '../ui/parts.tsx'
import { ProgressCell } from '../ui/progress.tsx'
import { SearchBox } from '../ui/search-box.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'
import { grouped, type ListedJob } from './jobs/grouped.ts'
import { type Heard, withHeard } from './jobs/heard.ts'

const filters: Record<string, { name: string; states: JobSummary['status'][] }> = {
  all: { name: 'All', states: [] },
  open: { name: 'Running', states: ['pending', 'running', 'finishing'] },
  paused: { name: 'Paused', states: ['paused'] },
  failed: { name: 'Failed', states: ['failed', 'partially_completed'] },
  completed: { name: 'Completed', states: ['completed'] },
  cancelled: { name: 'Cancelled', states: ['cancelled'] },
}

/** Whether the job is a preview or plan of single pages. These are not listed. */
const isPreview = ({ labels }: JobSummary): boolean => ['preview', 'plan'].includes(labels.purpose ?? '')

export default function JobsPage({ place }: PageProps) {
  const { client, may } = useSession()
  const filter = place.query.get('show') ?? 'all'
  const [typed, setTyped] = useState(place.query.get('find') ?? '')
  const text = useSettled(typed, 300)
  const chosen = filters[filter] ?? filters.all!
  const [isGrouped, setGrouped] = useState(true)
  const live = useLiveJobs()
  const jobs = useListing(
    leaving =>
      live.isHeard
        ? client.jobs.list({
            ...{ counts: true, live: true, pageSize: 50 },
            ...(chosen.states.length > 0 && { status: chosen.states }),
            ...(text && { text }),
          })
        : notYet(leaving),
    [client, filter, text, live.isHeard, live.missed],
  )
  const shown = useMemo(() => {
    const isListed = jobs.entries.length > 0 || !jobs.isLoading
    const wanted = { states: chosen.states, isSearched: Boolean(text) }
    const all = isListed ? withHeard(jobs.entries, live.heard, wanted).filter(job => !isPreview(job)) : []
    return isGrouped ? grouped(all) : all
  }, [jobs.entries, jobs.isLoading, live.heard, live.news, filter, text, isGrouped])
  const show = (id: string) => replace(['jobs'], { show: id === 'all' ? undefined : id, find: typed })
  return (
    <>
      <PageHead title="Jobs" sub={lineWords[live.line]}>
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
        <button type="button" class="chip" aria-pressed={isGrouped} onClick={() => setGrouped(!isGrouped)}>
          Group scheduled runs
        </button>
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
      <Empty title="No job matches">
        <span>Search for another word, or show all.</span>
        <LinkButton href="#/jobs">Show all jobs</LinkButton>
      </Empty>
    )
  return (
    <Empty icon="jobs" title="No jobs yet">
      {may.submit ? (
        <>
          <span>Paste the address of a page, click the values that you want, and start.</span>
          <LinkButton href="#/new" kind="primary" icon="plus">
            Create the first job
          </LinkButton>
        </>
      ) : (
        <span>
          Jobs of your workspace appear here after the first one is submitted. Your key can only read.
        </span>
      )}
    </Empty>
  )
}

const mostMarks = 12

/** Shows how the last runs of a schedule ended, newest first. */
const Runs = ({ scheduleId, runs }: { scheduleId: string; runs: JobSummary[] }) => (
  <span class="runs">
    <a href={to(['schedules', scheduleId])}>{scheduleId}</a>
    {runs.slice(0, mostMarks).map(run => {
      const { words, tone } = jobWords(run)
      return (
        <a
          key={run.jobId}
          class={`run-mark ${tone}`}
          href={to(['jobs', run.jobId])}
          title={`${run.jobId}: ${words}`}
        >
          <span class="only-read">{`${run.jobId}: ${words}`}</span>
        </a>
      )
    })}
    {runs.length > 1 && <span>{several(runs.length, 'run')}</span>}
  </span>
)

const columns: Array<Column<ListedJob>> = [
  {
    name: 'Job',
    width: 'minmax(170px, 2.400fr)',
    show: job => (
      <span class="two-lines">
        <a class="strong" href={to(['jobs', job.jobId])}>
          {job.jobId}
        </a>
        <small>{job.runs ? <Runs scheduleId={job.scheduleId!} runs={job.runs} /> : sourceWords(job)}</small>
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
  const named = first[0] ? shortUrl(first[0]) : several(count, 'item')
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
  live: 'Live: changes appear as they happen.',
  waiting: 'The connection was lost. Reconnecting…',
}

interface LiveJobs {
  line: Line
  /** The last event of each job since the list was requested. `news` counts the events. */
  heard: Heard
  news: number
  /** Whether the list may be loaded: the stream is connected, or `longestUnheardMs` have passed. A list that was loaded before
   *  the stream was connected may miss changes. */
  isHeard: boolean
  /** How many times events may have been missed. Each time, the list is loaded again. */
  missed: number
}

/** If the stream is not connected after this time, for example because a proxy delays it, the list is loaded without it. */
const longestUnheardMs = 1_000

function useLiveJobs(): LiveJobs {
  const { client } = useSession()
  const heard = useRef(new Map<string, JobSummary | null>())
  const [line, setLine] = useState<Line>('connecting')
  const [news, setNews] = useState(0)
  const [missed, setMissed] = useState(0)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    let isMissed = false
    const onEvent = (event: ServiceEvent) => {
      if (event.event === 'job') heard.current.set(event.data.jobId, event.data)
      if (event.event === 'deleted') heard.current.set(event.data.jobId, null)
      if (event.event === 'dropped' || (event.event === 'ready' && isMissed)) {
        heard.current.clear()
        setMissed(before => before + 1)
        isMissed = false
      }
      setNews(before => before + 1)
    }
    const late = setTimeout(() => {
      isMissed = true
      setLate(true)
    }, longestUnheardMs)
    const onState = (state: Line) => {
      clearTimeout(late)
      if (state === 'waiting') isMissed = true
      setLine(state)
    }
    const leave = follow({ open: signal => client.events({ signal }), onEvent, onState })
    return () => {
      clearTimeout(late)
      leave()
    }
  }, [client])
  return { line, heard: heard.current, news, isHeard: isLate || line !== 'connecting', missed }
}

/** The list until the stream is connected. It has no entries, and it ends when the signal is aborted. */
async function* notYet(leaving: AbortSignal): AsyncGenerator<JobSummary> {
  await new Promise(resolve => leaving.addEventListener('abort', resolve, { once: true }))
}
