// The hosts of a job: how its tasks stand at each, and what keeps it from asking faster.
import type { JobStatus } from '../../api.ts'
import { count, rate } from '../../format.ts'
import { useLoad, useSession } from '../../hooks.ts'
import { to } from '../../router.ts'
import { Badge, Card, Empty, Loading, Problem } from '../../ui/parts.tsx'

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
        <Empty icon="hosts" title="No host was asked yet" />
      ) : (
        <div class="scroll-x">
          <table>
            <thead>
              <tr>
                <th>Host</th>
                <th class="number">Requests</th>
                <th class="number">Pace</th>
                <th class="number">Succeeded</th>
                <th class="number">Failed</th>
                <th class="number">Left</th>
                <th>How it goes</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(row => (
                <tr key={row.host}>
                  <td class="wrap">
                    {may.operate ? <a href={to(['hosts', row.host])}>{row.host}</a> : row.host}
                  </td>
                  <td class="number">{row.requests === null ? '–' : count(row.requests)}</td>
                  <td class="number">{row.achievedRate === null ? '–' : rate(row.achievedRate)}</td>
                  <td class="number">{stateCount(row, 'succeeded')}</td>
                  <td class="number">{stateCount(row, 'failed')}</td>
                  <td class="number">{leftOf(row)}</td>
                  <td class="wrap">
                    {row.trouble.length === 0 ? <Badge tone="ok">fine</Badge> : row.trouble.join('; ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  )
}

const stateCount = ({ byState }: HostRow, state: string): string =>
  byState === null ? '–' : count(byState[state] ?? 0)

const leftOf = ({ byState }: HostRow): string =>
  byState === null ? '–' : count((byState.pending ?? 0) + (byState.queued ?? 0) + (byState.in_progress ?? 0))
