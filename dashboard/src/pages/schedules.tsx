// Schedules: jobs that run again and again, when they run next, and what changed since the last run.

import type { ScheduleShown } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { useListing, useSession } from '../hooks.ts'
import { to } from '../router.ts'
import { Badge, Card, Empty, LinkButton, Loading, Problem, Time } from '../ui/parts.tsx'
import { type Column, VirtualList } from '../virtual-list.tsx'
import { SchedulePage } from './schedules/schedule.tsx'

export default function SchedulesPage({ place }: PageProps) {
  const [, scheduleId] = place.path
  if (scheduleId !== undefined) return <SchedulePage key={scheduleId} scheduleId={scheduleId} />
  return <AllSchedules />
}

function AllSchedules() {
  const { client, may } = useSession()
  const schedules = useListing(() => client.schedules.list(), [client])
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Schedules</h1>
          <p class="sub">Each tick has one run, also across restarts.</p>
        </div>
        {may.submit && (
          <LinkButton href="#/new" kind="primary" icon="plus">
            New schedule
          </LinkButton>
        )}
      </div>
      {schedules.problem && <Problem message={schedules.problem} retry={schedules.reload} />}
      <Card isFlush>
        {schedules.entries.length > 0 && (
          <VirtualList
            label="Schedules"
            columns={columns}
            rows={schedules.entries}
            keyOf={({ scheduleId }) => scheduleId}
            rowHeight={54}
            minWidth="760px"
            {...schedules}
          />
        )}
        {schedules.entries.length === 0 && schedules.isLoading && <Loading />}
        {schedules.entries.length === 0 && !schedules.isLoading && (
          <Empty icon="clock" title="No schedules yet">
            <span>
              Fill in <b>Schedule (cron)</b> when you make a job, like <code>30 2 * * *</code> for every night
              at half past two.
            </span>
            {may.submit && <LinkButton href="#/new">New job</LinkButton>}
          </Empty>
        )}
      </Card>
    </>
  )
}

const columns: Array<Column<ScheduleShown>> = [
  {
    name: 'Schedule',
    width: 'minmax(180px, 2fr)',
    show: ({ scheduleId, name }) => (
      <span class="two-lines">
        <a class="strong" href={to(['schedules', scheduleId])}>
          {name || scheduleId}
        </a>
        <small>{scheduleId}</small>
      </span>
    ),
  },
  {
    name: 'When',
    width: 'minmax(140px, 1fr)',
    show: ({ cron, timeZone }) => (
      <span class="two-lines">
        <code>{cron}</code>
        <small>{timeZone}</small>
      </span>
    ),
  },
  {
    name: 'State',
    width: '110px',
    show: ({ paused }) => <Badge tone={paused ? 'warn' : 'ok'}>{paused ? 'paused' : 'on'}</Badge>,
  },
  { name: 'Next run', width: '130px', show: ({ nextAt }) => <Time at={nextAt} isFuture /> },
  { name: 'Overlap', width: '120px', show: ({ overlap }) => overlap.replaceAll('_', ' ') },
]
