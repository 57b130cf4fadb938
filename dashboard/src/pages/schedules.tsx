// Schedules: jobs that run regularly, when they run next, and what changed since the last run.
import type { ScheduleShown } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { useListing, useSession } from '../hooks.ts'
import { to } from '../router.ts'
import { clockColumns, nameColumn } from '../ui/by-the-clock.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Card, Empty, LinkButton } from '../ui/parts.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'
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
      <PageHead title="Schedules" sub="Each scheduled time starts one run, even if the service restarts.">
        {may.submit && (
          <LinkButton href="#/new" kind="primary" icon="plus">
            New schedule
          </LinkButton>
        )}
      </PageHead>
      <Card isFlush>
        <Listed
          label="Schedules"
          listing={schedules}
          columns={columns}
          keyOf={({ scheduleId }) => scheduleId}
          rowHeight={54}
          minWidth="760px"
        >
          <Empty icon="clock" title="No schedules yet">
            <span>
              Fill in <b>Schedule (cron)</b> when you create a job, for example <code>30 2 * * *</code> for
              every night at 2:30.
            </span>
            {may.submit && <LinkButton href="#/new">New job</LinkButton>}
          </Empty>
        </Listed>
      </Card>
    </>
  )
}

const columns: Array<Column<ScheduleShown>> = [
  nameColumn('Schedule', ({ scheduleId, name }) => ({
    ...{ id: scheduleId, name, href: to(['schedules', scheduleId]) },
  })),
  ...clockColumns('Next run'),
  { name: 'Overlap', width: '120px', show: ({ overlap }) => overlap.replaceAll('_', ' ') },
]
