// Workers and browsers: which are running, since when, their memory, and their pages.
import type { BrowserShown, WorkerShown } from '../api.ts'
import { bytes, count, several, span } from '../format.ts'
import { useEvery, useLoad, useSession } from '../hooks.ts'
import type { Tone } from '../state-words.ts'
import { PageHead } from '../ui/page-head.tsx'
import { Badge, Card, Empty, Loading, Problem, Stat } from '../ui/parts.tsx'
import { ShortTable } from '../ui/tables.tsx'

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
      <PageHead
        title="Workers and browsers"
        badges={
          <Badge tone={readiness.ready ? 'ok' : 'bad'}>{readiness.ready ? 'ready' : 'not ready'}</Badge>
        }
        sub={`Version ${value.version}, up for ${span(value.uptimeSeconds * 1_000)}`}
      />
      {problem && <Problem message={problem} retry={reload} />}
      <div class="stats">
        <Stat name="Workers" value={count(workers.length)} note={`${several(inFlight, 'task')} in flight`} />
        <Stat name="Queue" value={count(value.queueDepth)} note="tasks that wait" />
        <Stat
          name="Browser seats"
          value={browserPool ? `${browserPool.inUse} of ${browserPool.total}` : 'none'}
          note={browserPool ? 'in use' : 'no page needed a browser yet'}
        />
        <Stat
          name="Pages by browser"
          value={count(browserPool?.pagesProcessed ?? 0)}
          note={`${count(browserPool?.recycledCount ?? 0)} browsers replaced`}
        />
      </div>
      <Card title="Workers" isFlush>
        {workers.length === 0 ? (
          <Empty icon="cpu" title="Nobody works">
            Start one: <code>kscrape start http-worker</code>
          </Empty>
        ) : (
          <ShortTable columns={workerColumns} rows={workers} keyOf={({ name }) => name} />
        )}
      </Card>
      <div class="grid">
        <Card title="Browsers" isFlush>
          {browserPool && browserPool.browsers.length > 0 ? (
            <ShortTable
              columns={browserColumns}
              rows={browserPool.browsers}
              keyOf={({ worker, pid }) => `${worker} ${pid}`}
            />
          ) : (
            <Empty icon="hosts" title="No browser is running">
              A browser starts with the first page that needs it, and closes when unused for a while.
            </Empty>
          )}
        </Card>
        <Card title="Ready to fetch a page?" isFlush>
          <ShortTable
            isHeadless
            columns={checkColumns}
            rows={Object.entries(readiness.checks)}
            keyOf={([name]) => name}
          />
        </Card>
      </div>
    </>
  )
}

const sharedColumns = [
  {
    name: 'Memory',
    isNumber: true,
    show: ({ memoryBytes }: Pick<WorkerShown, 'memoryBytes'>) =>
      memoryBytes === null ? '–' : bytes(memoryBytes),
  },
  { name: 'Age', isNumber: true, show: ({ startedAt }: Pick<WorkerShown, 'startedAt'>) => ageOf(startedAt) },
]

const workerColumns = [
  { name: 'Worker', isLong: true, show: ({ name }: WorkerShown) => name },
  { name: 'Role', show: ({ role }: WorkerShown) => <span class="tag">{role}</span> },
  {
    name: 'In hand',
    isNumber: true,
    show: ({ inFlight, concurrency }: WorkerShown) => `${count(inFlight)} of ${count(concurrency)}`,
  },
  ...sharedColumns,
]

const phases: Record<BrowserShown['phase'], Tone> = { serving: 'ok', retiring: 'warn', gone: 'idle' }

const browserColumns = [
  {
    name: 'Process',
    isLong: true,
    show: ({ pid, driver, worker }: BrowserShown) => (
      <span class="two-lines">
        <span>{pid}</span>
        <small>{worker ? `${driver}, ${worker}` : driver}</small>
      </span>
    ),
  },
  { name: 'State', show: ({ phase }: BrowserShown) => <Badge tone={phases[phase]}>{phase}</Badge> },
  { name: 'Pages', isNumber: true, show: ({ pages }: BrowserShown) => count(pages) },
  { name: 'Open', isNumber: true, show: ({ inUse }: BrowserShown) => count(inUse) },
  ...sharedColumns,
]

const checkColumns = [
  { name: 'Check', show: ([name]: readonly [string, string]) => name },
  {
    name: 'Result',
    isNumber: true,
    isLong: true,
    show: ([, check]: readonly [string, string]) => (
      <Badge tone={check === 'ok' ? 'ok' : 'bad'}>{check}</Badge>
    ),
  },
]
