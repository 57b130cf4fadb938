// Workers and browsers: who is alive, for how long, with how much memory, and how many pages.
import type { BrowserShown, WorkerShown } from '../api.ts'
import { bytes, count, several, span } from '../format.ts'
import { useEvery, useLoad, useSession } from '../hooks.ts'
import type { Tone } from '../state-words.ts'
import { Badge, Card, Empty, Loading, Problem, Stat } from '../ui/parts.tsx'

const ageOf = (startedAt: string | null): string =>
  startedAt === null ? '–' : span(Date.now() - Date.parse(startedAt))

export default function WorkersPage() {
  const { client } = useSession()
  const { value, problem, reload } = useLoad(() => client.workers(), [client])
  useEvery(3_000, reload)
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading />
  const { workers, browserPool, readiness } = value
  const inFlight = workers.reduce((sum, worker) => sum + worker.inFlight, 0)
  return (
    <>
      <div class="page-head">
        <div>
          <div class="title-line">
            <h1>Workers and browsers</h1>
            <Badge tone={readiness.ready ? 'ok' : 'bad'}>{readiness.ready ? 'ready' : 'not ready'}</Badge>
          </div>
          <p class="sub">
            Version {value.version}, up for {span(value.uptimeSeconds * 1_000)}
          </p>
        </div>
      </div>
      {problem && <Problem message={problem} retry={reload} />}
      <div class="stats">
        <Stat name="Workers" value={count(workers.length)} note={`${several(inFlight, 'task')} in hand`} />
        <Stat name="Queue" value={count(value.queueDepth)} note="tasks that wait" />
        <Stat
          name="Browser seats"
          value={browserPool ? `${browserPool.inUse} of ${browserPool.total}` : 'none'}
          note={browserPool ? 'in use' : 'no page asked for one yet'}
        />
        <Stat
          name="Pages by browser"
          value={count(browserPool?.pagesProcessed ?? 0)}
          note={`${count(browserPool?.recycledCount ?? 0)} browsers retired`}
        />
      </div>
      <div class="grid">
        <Card title="Workers" isFlush>
          {workers.length === 0 ? (
            <Empty icon="cpu" title="Nobody works">
              Start one: <code>kscrape start http-worker</code>
            </Empty>
          ) : (
            <WorkerTable workers={workers} />
          )}
        </Card>
        <div class="stack">
          <Card title="Browsers" isFlush>
            {browserPool && browserPool.browsers.length > 0 ? (
              <BrowserTable browsers={browserPool.browsers} />
            ) : (
              <Empty icon="hosts" title="No browser is up">
                One is started with the first page that needs it, and closed when nobody has used it for a
                while.
              </Empty>
            )}
          </Card>
          <Card title="Ready to fetch a page?" isFlush>
            <table>
              <tbody>
                {Object.entries(readiness.checks).map(([name, check]) => (
                  <tr key={name}>
                    <td>{name}</td>
                    <td class="wrap number">
                      <Badge tone={check === 'ok' ? 'ok' : 'bad'}>{check}</Badge>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Card>
        </div>
      </div>
    </>
  )
}

const WorkerTable = ({ workers }: { workers: readonly WorkerShown[] }) => (
  <div class="scroll-x">
    <table>
      <thead>
        <tr>
          <th>Worker</th>
          <th>Role</th>
          <th class="number">In hand</th>
          <th class="number">Memory</th>
          <th class="number">Age</th>
        </tr>
      </thead>
      <tbody>
        {workers.map(({ name, role, inFlight, memoryBytes, startedAt }) => (
          <tr key={name}>
            <td class="wrap">{name}</td>
            <td>
              <span class="tag">{role}</span>
            </td>
            <td class="number">{count(inFlight)}</td>
            <td class="number">{memoryBytes === null ? '–' : bytes(memoryBytes)}</td>
            <td class="number">{ageOf(startedAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const phases: Record<BrowserShown['phase'], Tone> = { serving: 'ok', retiring: 'warn', gone: 'idle' }

const BrowserTable = ({ browsers }: { browsers: readonly BrowserShown[] }) => (
  <div class="scroll-x">
    <table>
      <thead>
        <tr>
          <th>Process</th>
          <th>State</th>
          <th class="number">Pages</th>
          <th class="number">Open</th>
          <th class="number">Memory</th>
          <th class="number">Age</th>
        </tr>
      </thead>
      <tbody>
        {browsers.map(({ pid, driver, phase, pages, inUse, memoryBytes, startedAt }) => (
          <tr key={pid}>
            <td>
              {pid} <span class="tag">{driver}</span>
            </td>
            <td>
              <Badge tone={phases[phase]}>{phase}</Badge>
            </td>
            <td class="number">{count(pages)}</td>
            <td class="number">{count(inUse)}</td>
            <td class="number">{memoryBytes === null ? '–' : bytes(memoryBytes)}</td>
            <td class="number">{ageOf(startedAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
