// Lists the jobs that a number or chart of the home page counts, for the same time range.
import type { ActivityOfJobs, ActivityRange } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { count, momentInFull, several } from '../format.ts'
import { useLoad, useSession } from '../hooks.ts'
import { replace, to } from '../router.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Card, Empty, LinkButton, Loading, Problem } from '../ui/parts.tsx'
import { RangeChips, rangeIn } from '../ui/range-chips.tsx'
import { ShortTable } from '../ui/tables.tsx'

type Show = ActivityOfJobs['show']

const shows: Array<[Show, string]> = [
  ['records', 'Records'],
  ['pages', 'Pages'],
  ['errors', 'Errors'],
]

export default function ActivityPage({ place }: PageProps) {
  const { client } = useSession()
  const range = rangeIn(place)
  const show = shows.find(([id]) => id === place.query.get('show'))?.[0] ?? 'pages'
  const [reason, host] =
    show === 'errors' ? [place.query.get('reason'), place.query.get('host')] : [null, null]
  const { value, problem, reload } = useLoad(
    () => client.activityOfJobs({ range, show, ...(reason && { reason }), ...(host && { host }) }),
    [client, range, show, reason, host],
  )
  const move = (change: { range?: ActivityRange; show?: Show }) =>
    replace(['activity'], { show, range, ...(reason && { reason }), ...(host && { host }), ...change })
  return (
    <>
      <PageHead
        crumbs={[['Home', to([], { range: range === '24h' ? undefined : range })]]}
        title={shows.find(([id]) => id === show)![1]}
        sub={[host && `at ${host}`, reason && `with the reason ${reason}`].filter(Boolean).join(' ')}
      >
        <RangeChips range={range} onChange={range => move({ range })} />
      </PageHead>
      <div class="toolbar">
        <fieldset class="chips" aria-label="Count">
          {shows.map(([id, words]) => (
            <button
              key={id}
              type="button"
              class="chip"
              aria-pressed={id === show}
              onClick={() => move({ show: id })}
            >
              {words}
            </button>
          ))}
        </fieldset>
        {(reason || host) && (
          <LinkButton href={to(['activity'], { show, range })}>Show all errors</LinkButton>
        )}
      </div>
      {problem && <Problem message={problem} retry={reload} />}
      {!value && !problem && <Loading rows={4} />}
      {value && <OfJobs value={value} reason={reason} />}
    </>
  )
}

function OfJobs({ value, reason }: { value: ActivityOfJobs; reason: string | null }) {
  const { show, jobs, jobCount, from } = value
  const total = `${count(value.count)} ${value.count === 1 ? show.slice(0, -1) : show}`
  if (jobs.length === 0) return <Empty icon="jobs" title={`No ${show} in this period`} />
  const more = jobCount > jobs.length ? `; the list shows the first ${jobs.length}` : ''
  const query = show === 'errors' ? { tab: 'tasks', attempt: reason ?? undefined } : {}
  return (
    <Card title={total} hint={`in ${several(jobCount, 'job')} since ${momentInFull(from)}${more}`} isFlush>
      <ShortTable
        rows={jobs}
        keyOf={({ jobId }) => jobId}
        columns={[
          {
            name: 'Job',
            show: ({ jobId }) => (
              <a href={to(['jobs', jobId], show === 'records' ? { tab: 'records' } : query)}>{jobId}</a>
            ),
          },
          { name: shows.find(([id]) => id === show)![1], isNumber: true, show: job => count(job.count) },
        ]}
      />
    </Card>
  )
}
