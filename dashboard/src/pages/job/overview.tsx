// The overview of a job: its speed and outcomes over time, the reasons of failures, and what it waits for.
import { lazy, Suspense } from 'preact/compat'
import { useMemo, useRef } from 'preact/hooks'
import type { JobStatus } from '../../api.ts'
import { count, percent, several, span } from '../../format.ts'
import { useEvery, useLoad, useSession } from '../../hooks.ts'
import { to } from '../../router.ts'
import { hasEnded, outcomeTone, pausedWords } from '../../state-words.ts'
import { Badge, Card, Empty, Facts, Loading, Problem, Time } from '../../ui/parts.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { drawnOf } from './drawn.ts'

const Chart = lazy(() => import('../../chart.tsx'))

export function OverviewTab({ job }: { job: JobStatus }) {
  return (
    <>
      <Charts job={job} />
      <div class="grid">
        <Outcomes job={job} />
        <div class="stack">
          {!hasEnded(job.status) && <Waiting job={job} />}
          <Asked job={job} />
        </div>
      </div>
    </>
  )
}

function Charts({ job }: { job: JobStatus }) {
  const { client } = useSession()
  const isOver = hasEnded(job.status)
  const { value, problem, reload } = useLoad(
    () => client.jobs.timeline(job.jobId),
    [client, job.jobId, isOver],
  )
  const seen = useRef(job.counts)
  useEvery(
    3_000,
    () => {
      if (seen.current === job.counts) return
      seen.current = job.counts
      reload()
    },
    !isOver,
  )
  const drawn = useMemo(() => value && drawnOf(value, isOver), [value, isOver])
  if (problem && !value) return <Problem message={problem} retry={reload} />
  if (!value) return <Loading rows={5} />
  return (
    <div class="grid even">
      <Card title="Throughput" hint="attempts per second">
        {drawn && drawn.times.length > 0 ? (
          <Suspense fallback={<Loading rows={5} />}>
            <Chart
              label="Attempts per second over time"
              times={drawn.times}
              series={drawn.pace}
              height={216}
            />
          </Suspense>
        ) : (
          <Empty icon="clock" title="No task has ended yet">
            The chart begins with the first page.
          </Empty>
        )}
      </Card>
      <Card title="Outcomes over time" hint="attempts, by reason">
        {drawn && drawn.times.length > 0 ? (
          <Suspense fallback={<Loading rows={5} />}>
            <Chart
              label="Attempts by outcome over time"
              times={drawn.times}
              series={drawn.outcomes}
              isStacked
              height={176}
            />
            <ul class="legend">
              {drawn.outcomes.map(({ name, colour }) => (
                <li key={name}>
                  <i style={{ background: `var(${colour})` }} />
                  {name}
                </li>
              ))}
            </ul>
          </Suspense>
        ) : (
          <Empty icon="jobs" title="No outcomes yet" />
        )}
      </Card>
    </div>
  )
}

function Outcomes({ job }: { job: JobStatus }) {
  const reasons = Object.entries(job.counts.byReason).sort(([, one], [, other]) => other - one)
  const all = reasons.reduce((sum, [, times]) => sum + times, 0)
  const refused = Object.entries(job.counts.linksRefused).sort(([, one], [, other]) => other - one)
  return (
    <Card title="Outcomes by reason" hint="tasks that have ended" isFlush>
      {reasons.length === 0 ? (
        <Empty title="No task has ended yet">Reasons are counted as tasks end.</Empty>
      ) : (
        <ScrollBox label="Outcomes by reason">
          <table>
            <thead>
              <tr>
                <th>Reason</th>
                <th class="number">Tasks</th>
                <th class="number">Share</th>
              </tr>
            </thead>
            <tbody>
              {reasons.map(([reason, times]) => (
                <tr key={reason}>
                  <td>
                    <a href={to(['jobs', job.jobId], { tab: 'tasks', reason })}>
                      <Badge tone={outcomeTone(reason)}>{reason}</Badge>
                    </a>
                  </td>
                  <td class="number">{count(times)}</td>
                  <td class="number">{percent(times, all)}</td>
                </tr>
              ))}
              {refused.map(([reason, times]) => (
                <tr key={`link ${reason}`}>
                  <td>
                    <span class="muted">links not followed: {reason}</span>
                  </td>
                  <td class="number">{count(times)}</td>
                  <td />
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Card>
  )
}

function Waiting({ job }: { job: JobStatus }) {
  const { waiting, retries, status, resumeAt, pace } = job
  const isQuiet = waiting.length === 0 && retries.tasks === 0 && status !== 'paused'
  return (
    <Card title="What the job waits for" isFlush>
      {isQuiet ? (
        <Empty icon="play" title="Nothing">
          Every task that may run now is running.
        </Empty>
      ) : (
        <table>
          <tbody>
            {pace && (
              <tr>
                <td>
                  Rate: {pace.why}
                  <div class="muted">slowest at {pace.slowestHost}</div>
                </td>
                <td class="number">
                  {pace.secondsLeft >= 60 ? `${span(pace.secondsLeft * 1_000)} to go` : ''}
                </td>
              </tr>
            )}
            {status === 'paused' && (
              <tr>
                <td>{pausedWords(job.reason).waitsFor}</td>
                <td class="number">{resumeAt && <Time at={resumeAt} isFuture />}</td>
              </tr>
            )}
            {(status === 'paused' ? [] : waiting).map(wait => (
              <tr key={wait.reason}>
                <td>
                  {wait.why}
                  <div class="muted">
                    {several(wait.tasks, 'task')} at{' '}
                    {wait.hosts === 1
                      ? wait.exampleHost
                      : `${count(wait.hosts)} hosts, like ${wait.exampleHost}`}
                  </div>
                </td>
                <td class="number">{wait.nextAt ? <Time at={wait.nextAt} isFuture /> : ''}</td>
              </tr>
            ))}
            {retries.tasks > 0 && (
              <tr>
                <td>
                  their next try<div class="muted">{several(retries.tasks, 'task')} that failed before</div>
                </td>
                <td class="number">
                  <Time at={retries.nextAt} isFuture />
                </td>
              </tr>
            )}
          </tbody>
        </table>
      )}
    </Card>
  )
}

function Asked({ job }: { job: JobStatus }) {
  const { asked, labels, createdAt, face, ingest } = job
  const facts = [
    { name: 'Source', value: asked.source.first.map(url => <div key={url}>{url}</div>) },
    { name: 'Created', value: <Time at={createdAt} /> },
    { name: 'Came by', value: face },
    { name: 'User agent', value: asked.userAgent ?? 'the service’s' },
    { name: 'robots.txt', value: asked.robots === 'obey' ? 'obeyed' : 'ignored' },
    { name: 'Browser', value: asked.render === 'never' ? 'not used' : `${asked.render}, ${asked.browser}` },
    { name: 'Pages at most', value: asked.maxPages === null ? 'no limit' : count(asked.maxPages) },
    ...(asked.llm === 'off'
      ? []
      : [{ name: 'Language model', value: `${asked.llm}, ${count(asked.llmTokens)} tokens` }]),
    ...(ingest.rows > 0
      ? [{ name: 'Rows', value: `${count(ingest.rows)} read, ${count(ingest.rejected)} rejected` }]
      : []),
    ...Object.entries(labels).map(([name, value]) => ({ name: `Label ${name}`, value })),
  ]
  return (
    <Card title="Requests">
      <Facts facts={facts} />
    </Card>
  )
}
