// Monitors: pages that are looked at again and again, and what the last look at them found.
import { useMemo, useState } from 'preact/hooks'
import type { Client, MonitorCheck, MonitorShown } from '../api.ts'
import type { PageProps } from '../app.tsx'
import { useListing, useLoad, useSession } from '../hooks.ts'
import { go, to } from '../router.ts'
import { Badge, Button, Card, Empty, Loading, Problem, Time } from '../ui/parts.tsx'
import { type Column, VirtualList } from '../virtual-list.tsx'
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
  const isEmpty = monitors.entries.length === 0
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Monitors</h1>
          <p class="sub">What changed on pages, without the noise.</p>
        </div>
        {!isEmpty && newButton}
      </div>
      {monitors.problem && <Problem message={monitors.problem} retry={monitors.reload} />}
      <Card isFlush>
        {!isEmpty && (
          <VirtualList
            label="Monitors"
            columns={columns}
            rows={monitors.entries}
            keyOf={({ monitorId }) => monitorId}
            rowHeight={58}
            minWidth="860px"
            {...monitors}
          />
        )}
        {isEmpty && monitors.isLoading && <Loading />}
        {isEmpty && !monitors.isLoading && !monitors.problem && (
          <Empty icon="eye" title="No monitors yet">
            <span>
              Name the pages and how often to look: every look tells what is new, changed and removed since
              the one before. By hand it is <code>kscrape watch</code>.
            </span>
            {newButton}
          </Empty>
        )}
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

/** Each is asked for once, when its row is first seen. */
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
  {
    name: 'Monitor',
    width: 'minmax(160px, 1fr)',
    show: ({ monitorId, name }) => (
      <span class="two-lines">
        <a class="strong" href={to(['monitors', monitorId])}>
          {name}
        </a>
        <small>{monitorId}</small>
      </span>
    ),
  },
  {
    name: 'Last check',
    width: 'minmax(300px, 2fr)',
    show: ({ monitorId }) => <Found key={monitorId} monitorId={monitorId} lastCheck={lastCheck} />,
  },
  {
    name: 'When',
    width: 'minmax(120px, 160px)',
    show: ({ cron, timeZone }) => (
      <span class="two-lines">
        <code>{cron}</code>
        <small>{timeZone}</small>
      </span>
    ),
  },
  {
    name: 'State',
    width: '100px',
    show: ({ paused }) => <Badge tone={paused ? 'warn' : 'ok'}>{paused ? 'paused' : 'on'}</Badge>,
  },
  { name: 'Next check', width: '120px', show: ({ nextAt }) => <Time at={nextAt} isFuture /> },
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
