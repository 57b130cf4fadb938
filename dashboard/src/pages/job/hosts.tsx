// The hosts of a job: the states of its tasks at each host, and what limits its speed.
import type { JobStatus } from '../../api.ts'
import { count, rate } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { to } from '../../router.ts'
import { Badge, Card, Empty, Loading, Problem } from '../../ui/parts.tsx'
import { ShortTable } from '../../ui/tables.tsx'

interface HostRow {
  host: string
  requests: number | null
  achievedRate: number | null
  byState: Record<string, number> | null
  trouble: string[]
}

export function HostsTab({ job }: { job: JobStatus }) {
  const { client, may } = useSession()
  const { value, problem, reload } = useLoad(() => client.jobs.conduct(job.jobId), [client, job.jobId])
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  const busiest = new Map((job.hosts.busiest ?? []).map(host => [host.host, host]))
  const asked = new Map(value.hosts.map(host => [host.host, host]))
  const rows: HostRow[] = [...new Set([...busiest.keys(), ...asked.keys()])].map(host => ({
    host,
    requests: asked.get(host)?.requests ?? null,
    achievedRate: asked.get(host)?.achievedRate ?? null,
    byState: busiest.get(host)?.byState ?? null,
    trouble: busiest.get(host)?.trouble ?? [],
  }))
  return (
    <Card title="Hosts" hint={value.moreHosts ? 'the busiest 100' : `${count(rows.length)} in all`} isFlush>
      {rows.length === 0 ? (
        <Empty icon="hosts" title="No host has had requests yet" />
      ) : (
        <ShortTable columns={columnsFor(may.operate)} rows={rows} keyOf={({ host }) => host} />
      )}
    </Card>
  )
}

/** The columns of the table. Host names are links only for operators, because only they may open the page of a host. */
const columnsFor = (isLinked: boolean) => [
  {
    name: 'Host',
    isLong: true,
    show: ({ host }: HostRow) => (isLinked ? <a href={to(['hosts', host])}>{host}</a> : host),
  },
  {
    name: 'Requests',
    isNumber: true,
    show: ({ requests }: HostRow) => (requests === null ? '–' : count(requests)),
  },
  {
    name: 'Pace',
    isNumber: true,
    show: ({ achievedRate }: HostRow) => (achievedRate === null ? '–' : rate(achievedRate)),
  },
  { name: 'Succeeded', isNumber: true, show: (row: HostRow) => stateCount(row, 'succeeded') },
  { name: 'Failed', isNumber: true, show: (row: HostRow) => stateCount(row, 'failed') },
  { name: 'Left', isNumber: true, show: leftOf },
  {
    name: 'Progress',
    isLong: true,
    show: ({ trouble }: HostRow) =>
      trouble.length === 0 ? <Badge tone="ok">fine</Badge> : trouble.join('; '),
  },
]

const stateCount = ({ byState }: HostRow, state: string): string =>
  byState === null ? '–' : count(byState[state] ?? 0)

const leftOf = ({ byState }: HostRow): string =>
  byState === null ? '–' : count((byState.pending ?? 0) + (byState.queued ?? 0) + (byState.in_progress ?? 0))
