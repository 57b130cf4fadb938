// Monitors: pages that are checked regularly, with the result of the last check.
import { useMemo, useState } from 'preact/hooks'
import type { Client, MonitorCheck, MonitorShown } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { useListing, useLoad, useSession } from '../hooks.ts'
import { go, to } from '../router.ts'
import { clockColumns, nameColumn } from '../ui/by-the-clock.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Button, Card, Empty, Time } from '../ui/parts.tsx'
import { Listed } from '../ui/tables.tsx'
import type { Column } from '../virtual-list.tsx'
import { Counts } from './monitors/counts.tsx'
import { MonitorPage } from './monitors/monitor.tsx'
import { NewMonitorDialog } from './monitors/new-monitor.tsx'

export default function MonitorsPage({ place }: PageProps) {
  const [, monitorId] = place.path
  if (monitorId === undefined) return <AllMonitors />
  const chosen = place.query.get('check')
  return <MonitorPage key={monitorId} monitorId={monitorId} chosen={chosen} />
}

function AllMonitors() {
  const { client, may } = useSession()
  const monitors = useListing(() => client.monitors.list(), [client])
  const columns = useMemo(() => columnsWith(lastChecks(client)), [client])
  const [isMaking, setMaking] = useState(false)
  const newButton = may.submit && (
    <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
      New monitor
    </Button>
  )
  return (
    <>
      <PageHead title="Monitors" sub="Changes of pages, without the noise.">
        {monitors.entries.length > 0 && newButton}
      </PageHead>
      <Card isFlush>
        <Listed
          label="Monitors"
          listing={monitors}
          columns={columns}
          keyOf={({ monitorId }) => monitorId}
          rowHeight={82}
          minWidth="900px"
        >
          <Empty icon="eye" title="No monitors yet">
            <span>
              Choose pages and how often to check them. Each check shows what is new, changed and removed
              since the previous check. On the command line, use <code>kscrape watch</code>.
            </span>
            {newButton}
          </Empty>
        </Listed>
      </Card>
      {isMaking && (
        <NewMonitorDialog
          onClose={() => setMaking(false)}
          onMade={({ monitorId }) => go(['monitors', monitorId])}
        />
      )}
    </>
  )
}

type LastCheck = (monitorId: string) => Promise<MonitorCheck | null>

/** Loads the last check of each monitor once, when its row first becomes visible. */
function lastChecks(client: Client): LastCheck {
  const asked = new Map<string, Promise<MonitorCheck | null>>()
  return monitorId => {
    const known = asked.get(monitorId) ?? latest(client, monitorId)
    asked.set(monitorId, known)
    return known
  }
}

async function latest(client: Client, monitorId: string): Promise<MonitorCheck | null> {
  const { value } = await client.monitors.checks(monitorId, { pageSize: 1 }).next()
  return value ?? null
}

const columnsWith = (lastCheck: LastCheck): Array<Column<MonitorShown>> => [
  nameColumn('Monitor', ({ monitorId, name }) => ({
    ...{ id: monitorId, name, href: to(['monitors', monitorId]) },
  })),
  {
    name: 'Last check',
    width: 'minmax(320px, 2fr)',
    show: ({ monitorId }) => <Found key={monitorId} monitorId={monitorId} lastCheck={lastCheck} />,
  },
  ...clockColumns('Next check'),
]

function Found({ monitorId, lastCheck }: { monitorId: string; lastCheck: LastCheck }) {
  const { value, problem, isLoading } = useLoad(() => lastCheck(monitorId), [monitorId, lastCheck])
  if (problem) return <span class="muted">{problem}</span>
  if (!value) return <span class="muted">{isLoading ? '…' : 'none yet'}</span>
  return (
    <span class="two-lines">
      <Counts counts={value.counts} />
      <small>
        <Time at={value.at} />
      </small>
    </span>
  )
}
