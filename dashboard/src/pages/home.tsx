// The home page: running jobs, results of the last days, errors by host, and upcoming runs.
import { lazy, Suspense } from 'preact/compat'
import { useMemo } from 'preact/hooks'
import type { Activity, ActivityRange, JobSummary, MonitorCheck, MonitorShown } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { count, several, short } from '../format.ts'
import { useEvery, useLoad, useSession } from '../hooks.ts'
import { replace, to } from '../router.ts'
import type { Series } from '../series.ts'
import { jobWords } from '../state-words.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, Empty, LinkButton, Loading, Problem, Stat, Time } from '../ui/parts.tsx'
import { ProgressCell } from '../ui/progress.tsx'
import { RangeChips, rangeIn } from '../ui/range-chips.tsx'
import { ShortTable } from '../ui/tables.tsx'

const Chart = lazy(() => import('../chart.tsx'))

const refreshMs = 10_000
const mostShown = 8

export default function HomePage({ place }: PageProps) {
  const { may } = useSession()
  const range = rangeIn(place)
  return (
    <>
      <PageHead title="Home" sub="Running jobs, their results, and what needs your attention.">
        <RangeChips range={range} onChange={id => replace([], id === '24h' ? {} : { range: id })} />
      </PageHead>
      <RangeMetrics range={range} />
      <div class="grid even">
        <Running />
        <Due />
      </div>
      <div class="grid even">
        <Changes />
        {may.operate && <Health />}
      </div>
    </>
  )
}

const metrics = (['records', 'pages', 'errors'] as const).flatMap(show =>
  (['24h', '30d'] as const).map(range => ({
    ...{ show, range },
    name: `${show[0]!.toUpperCase()}${show.slice(1)}, ${range === '24h' ? '24 hours' : '30 days'}`,
  })),
)

function RangeMetrics({ range }: { range: ActivityRange }) {
  const { client } = useSession()
  const isWeek = range === '7d'
  const week = useLoad(() => (isWeek ? client.activity('7d') : Promise.resolve(null)), [client, isWeek])
  const month = useLoad(() => client.activity('30d'), [client])
  const day = useLoad(() => client.activity('24h'), [client])
  const { value, problem, reload } = { '24h': day, '7d': week, '30d': month }[range]
  useEvery(refreshMs, () => {
    reload()
    if (range !== '24h') day.reload()
  })
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading rows={4} />
  return (
    <>
      <div class="stats">
        {metrics.map(({ show, range, name }) => (
          <Sum
            key={name}
            name={name}
            value={(range === '24h' ? day : month).value?.[show]}
            href={to(['activity'], { show, range })}
            isBad={show === 'errors'}
          />
        ))}
      </div>
      <div class="grid even">
        <Card title="Pages and records" hint="over the selected time">
          <Lines activity={value} />
        </Card>
        <Card title="Errors by reason" hint="attempts that failed">
          <Errors activity={value} />
        </Card>
      </div>
      <Failures activity={value} />
    </>
  )
}

const Sum = ({
  name,
  value,
  href,
  isBad,
}: {
  name: string
  value: number | undefined
  href: string
  isBad?: boolean
}) => (
  <a class="stat-link" href={href}>
    <Stat
      name={name}
      value={value === undefined ? '–' : short(value)}
      {...(isBad && value ? { tone: 'bad' as const } : {})}
    />
  </a>
)

/** The times of all steps of the range, including steps without events. */
function timesOf({ from, stepMs, steps }: Activity): {
  times: number[]
  at: Map<number, Activity['steps'][number]>
} {
  const at = new Map(steps.map(step => [Date.parse(step.at), step]))
  const times: number[] = []
  for (let time = Date.parse(from); time <= Date.now(); time += stepMs) times.push(time)
  return { times, at }
}

function Lines({ activity }: { activity: Activity }) {
  const drawn = useMemo(() => {
    const { times, at } = timesOf(activity)
    const values = (name: 'pages' | 'records') => times.map(time => at.get(time)?.[name] ?? 0)
    const series: Series[] = [
      { name: 'pages', colour: '--accent', values: values('pages') },
      { name: 'records', colour: '--bar-ok', values: values('records') },
    ]
    return { times: times.map(time => time / 1_000), series }
  }, [activity])
  if (activity.attempts === 0) return <Empty icon="jobs" title="No pages were fetched in this period" />
  return (
    <Suspense fallback={<Loading rows={5} />}>
      <Chart label="Pages and records over time" times={drawn.times} series={drawn.series} height={190} />
      <Legend series={drawn.series} href={name => to(['activity'], { show: name, range: activity.range })} />
    </Suspense>
  )
}

const colours = ['--bar-bad', '--bar-amber', '--bar-plum', '--bar-info', '--bar-idle']

function Errors({ activity }: { activity: Activity }) {
  const drawn = useMemo(() => {
    const { times, at } = timesOf(activity)
    const sums = new Map<string, number>()
    for (const { byReason } of activity.steps)
      for (const [reason, errors] of Object.entries(byReason))
        sums.set(reason, (sums.get(reason) ?? 0) + errors)
    const most = [...sums].sort(([, one], [, other]) => other - one).map(([reason]) => reason)
    const series = most.slice(0, colours.length).map(
      (name, index): Series => ({
        ...{ name, colour: colours[index]!, values: times.map(time => at.get(time)?.byReason[name] ?? 0) },
      }),
    )
    return { times: times.map(time => time / 1_000), series }
  }, [activity])
  if (drawn.series.length === 0) return <Empty icon="shield" title="No errors in this period" />
  return (
    <Suspense fallback={<Loading rows={5} />}>
      <Chart
        label="Errors by reason over time"
        times={drawn.times}
        series={drawn.series}
        isStacked
        height={190}
      />
      <Legend
        series={drawn.series}
        href={reason => to(['activity'], { show: 'errors', range: activity.range, reason })}
      />
    </Suspense>
  )
}

const Legend = ({ series, href }: { series: readonly Series[]; href: (name: string) => string }) => (
  <ul class="legend">
    {series.map(({ name, colour }) => (
      <li key={name}>
        <i style={{ background: `var(${colour})` }} />
        <a href={href(name)}>{name}</a>
      </li>
    ))}
  </ul>
)

function Failures({ activity }: { activity: Activity }) {
  const { may } = useSession()
  const rows = activity.failures.slice(0, mostShown)
  if (rows.length === 0) return null
  return (
    <Card title="Where it fails" hint="errors by host and reason" isFlush>
      <ShortTable
        rows={rows}
        keyOf={({ host, reason }) => `${host} ${reason}`}
        columns={[
          {
            name: 'Host',
            show: ({ host }) => (may.operate ? <a href={to(['hosts', host])}>{host}</a> : host),
          },
          {
            name: 'Reason',
            show: ({ reason, jobId }) => (
              <a href={to(['jobs', jobId], { tab: 'tasks', attempt: reason })}>
                <code>{reason}</code>
              </a>
            ),
          },
          {
            name: 'Attempts',
            isNumber: true,
            show: ({ host, reason, attempts }) => (
              <a href={to(['activity'], { show: 'errors', range: activity.range, host, reason })}>
                {count(attempts)}
              </a>
            ),
          },
          { name: 'Latest job', show: ({ jobId }) => <a href={to(['jobs', jobId])}>{jobId}</a> },
        ]}
      />
    </Card>
  )
}

async function firstOf<Entry>(list: AsyncGenerator<Entry>, most: number): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const entry of list) if (found.push(entry) >= most) break
  return found
}

/** The jobs to show. Jobs of previews and plans are left out. */
const withoutPreviews = (jobs: JobSummary[]): JobSummary[] =>
  jobs.filter(({ labels }) => !['preview', 'plan'].includes(labels.purpose ?? '')).slice(0, mostShown)

const unended = ['pending', 'running', 'finishing', 'paused'] as const

function Running() {
  const { client, may } = useSession()
  const { value, problem, reload } = useLoad(
    () =>
      firstOf(client.jobs.list({ status: [...unended], counts: true, live: true }), 2 * mostShown).then(
        withoutPreviews,
      ),
    [client],
  )
  useEvery(5_000, reload)
  return (
    <Card title="Running jobs" actions={<a href={to(['jobs'])}>All jobs</a>} isFlush>
      {problem && <Problem message={problem} retry={reload} />}
      {!value && !problem && <Loading rows={3} />}
      {value?.length === 0 && (
        <Empty icon="jobs" title="Nothing runs">
          {may.submit && (
            <LinkButton href="#/new" kind="primary" icon="plus">
              New job
            </LinkButton>
          )}
        </Empty>
      )}
      {value && value.length > 0 && (
        <ShortTable
          rows={value}
          keyOf={({ jobId }) => jobId}
          columns={[
            { name: 'Job', show: ({ jobId }) => <a href={to(['jobs', jobId])}>{jobId}</a> },
            {
              name: 'State',
              show: job => (
                <Badge
                  state={jobWords({ ...job, waiting: job.live?.waiting, inFlight: job.live?.inFlight })}
                />
              ),
            },
            { name: 'Progress', show: ({ counts }) => counts && <ProgressCell counts={counts} /> },
          ]}
        />
      )}
    </Card>
  )
}

function Due() {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => firstOf(client.schedules.list(), 200), [client])
  useEvery(60_000, reload)
  const due = (value ?? [])
    .filter(({ paused, nextAt }) => !paused && nextAt !== null)
    .sort((one, other) => Date.parse(one.nextAt!) - Date.parse(other.nextAt!))
    .slice(0, mostShown)
  return (
    <Card title="Due next" actions={<a href={to(['schedules'])}>All schedules</a>} isFlush>
      {problem && <Problem message={problem} retry={reload} />}
      {!value && !problem && <Loading rows={3} />}
      {value && due.length === 0 && (
        <Empty icon="clock" title="No schedule is due">
          A schedule starts a job at set times. Choose the times when you create the job.
        </Empty>
      )}
      {due.length > 0 && (
        <ShortTable
          rows={due}
          keyOf={({ scheduleId }) => scheduleId}
          columns={[
            {
              name: 'Schedule',
              show: ({ scheduleId, name }) => <a href={to(['schedules', scheduleId])}>{name}</a>,
            },
            { name: 'Next run', show: ({ nextAt }) => <Time at={nextAt} isFuture /> },
          ]}
        />
      )}
    </Card>
  )
}

type Checked = MonitorShown & { check: MonitorCheck | null }

function Changes() {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(async (): Promise<Checked[]> => {
    const monitors = await firstOf(client.monitors.list(), 20)
    return Promise.all(
      monitors.map(async monitor => {
        const [check = null] = await firstOf(client.monitors.checks(monitor.monitorId, { pageSize: 1 }), 1)
        return { ...monitor, check }
      }),
    )
  }, [client])
  useEvery(60_000, reload)
  const changed = (value ?? [])
    .filter(({ check }) => check?.isChanged)
    .sort((one, other) => Date.parse(other.check!.at) - Date.parse(one.check!.at))
    .slice(0, mostShown)
  return (
    <Card title="Monitors with changes" actions={<a href={to(['monitors'])}>All monitors</a>} isFlush>
      {problem && <Problem message={problem} retry={reload} />}
      {!value && !problem && <Loading rows={3} />}
      {value && changed.length === 0 && (
        <Empty icon="eye" title={value.length === 0 ? 'No monitors yet' : 'No changes in the last checks'}>
          {value.length === 0 && 'A monitor checks pages regularly and shows what changed.'}
        </Empty>
      )}
      {changed.length > 0 && (
        <ShortTable
          rows={changed}
          keyOf={({ monitorId }) => monitorId}
          columns={[
            {
              name: 'Monitor',
              show: ({ monitorId, name, check }) => (
                <a href={to(['monitors', monitorId], { check: check!.jobId })}>{name}</a>
              ),
            },
            { name: 'Found', show: ({ check }) => foundWords(check!) },
            { name: 'Checked', show: ({ check }) => <Time at={check!.at} /> },
          ]}
        />
      )}
    </Card>
  )
}

const foundWords = ({ counts }: MonitorCheck): string =>
  (['new', 'changed', 'removed', 'error'] as const)
    .filter(status => counts[status] > 0)
    .map(status => `${count(counts[status])} ${status}`)
    .join(', ')

function Health() {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(
    async () => ({ workers: await client.workers(), proxies: await client.proxies.list() }),
    [client],
  )
  useEvery(refreshMs, reload)
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading rows={3} />
  const { workers, readiness, browserPool } = value.workers
  const sick = value.proxies.filter(({ healthy }) => !healthy)
  return (
    <Card title="Health" actions={<a href={to(['workers'])}>Workers</a>}>
      <div class="stats">
        <a class="stat-link" href={to(['workers'])}>
          <Stat
            name="Workers"
            value={count(workers.length)}
            note={readiness.ready ? 'ready' : 'not ready'}
            {...(!readiness.ready && { tone: 'bad' as const })}
          />
        </a>
        <a class="stat-link" href={to(['workers'])}>
          <Stat
            name="Browsers"
            value={browserPool ? count(browserPool.browsers.length) : '0'}
            note={
              browserPool ? `${browserPool.inUse} of ${browserPool.total} seats in use` : 'none was needed'
            }
          />
        </a>
        <a class="stat-link" href={to(['proxies'])}>
          <Stat
            name="Proxies"
            value={value.proxies.length === 0 ? 'none' : count(value.proxies.length)}
            note={
              value.proxies.length === 0
                ? 'pages are fetched directly'
                : `${several(sick.length, 'proxy')} unhealthy`
            }
            {...(sick.length > 0 && { tone: 'bad' as const })}
          />
        </a>
      </div>
    </Card>
  )
}
