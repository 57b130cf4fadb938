// The attempts at a task over time: how long each waited, was fetched, read and stored.
import type { Exchange, Item } from '../../api.ts'
import { bytes, moment, momentInFull, span } from '../../format.ts'
import { outcomeTone } from '../../state-words.ts'
import { Badge, Empty } from '../../ui/parts.tsx'

type Attempt = Item['history'][number]

interface Phase {
  name: 'queued' | 'fetch' | 'render' | 'extract' | 'store'
  ms: number
}

export function Timeline({ task, exchanges }: { task: Item; exchanges: readonly Exchange[] }) {
  if (task.history.length === 0)
    return (
      <Empty icon="clock" title="Not tried yet">
        It waits for its turn at its host.
      </Empty>
    )
  return (
    <div class="timeline">
      {task.history.map((attempt, index) => (
        <AttemptRow
          key={attempt.attempt}
          attempt={attempt}
          before={task.history[index - 1]}
          // What was kept is of the last one that brought a page.
          exchanges={index === task.history.length - 1 ? exchanges : []}
        />
      ))}
    </div>
  )
}

interface RowProps {
  attempt: Attempt
  before: Attempt | undefined
  exchanges: readonly Exchange[]
}

function AttemptRow({ attempt, before, exchanges }: RowProps) {
  const phases = phasesOf(attempt, before, exchanges)
  const all = phases.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <div class="attempt">
      <div class="attempt-head">
        <b>Attempt {attempt.attempt}</b>
        <Badge tone={outcomeTone(attempt.outcome)}>{attempt.outcome}</Badge>
        {attempt.httpStatus !== null && <span class="tag">HTTP {attempt.httpStatus}</span>}
        <span class="tag">{attempt.way === 'browser' ? 'browser' : 'plain HTTP'}</span>
        <span class="muted">
          <time dateTime={attempt.startedAt} title={momentInFull(attempt.startedAt)}>
            {moment(attempt.startedAt)}
          </time>{' '}
          · {bytes(attempt.bytes)}
        </span>
      </div>
      {attempt.message && <div class="muted">{attempt.message}</div>}
      <div
        class="phases"
        role="img"
        aria-label={phases.map(({ name, ms }) => `${name} ${span(ms)}`).join(', ')}
      >
        {phases.map(({ name, ms }) => (
          <div
            key={name}
            class={`phase ${name}`}
            style={{ flexGrow: all === 0 ? 1 : Math.max(0.02, ms / all) }}
            title={`${name}: ${span(ms)}`}
          >
            {name} {span(ms)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** From the times that are kept: of the attempt, and of the exchange behind it. */
function phasesOf(attempt: Attempt, before: Attempt | undefined, exchanges: readonly Exchange[]): Phase[] {
  const started = Date.parse(attempt.startedAt)
  const ended = Date.parse(attempt.endedAt)
  const waited = before ? started - Date.parse(before.endedAt) : 0
  const queued: Phase[] = before ? [{ name: 'queued', ms: Math.max(0, waited) }] : []
  const got = attempt.way === 'browser' ? 'render' : 'fetch'
  const answered =
    exchanges.length > 0 ? Math.max(...exchanges.map(({ endedAt }) => Date.parse(endedAt))) : null
  if (answered === null || answered < started || answered > ended)
    return [...queued, { name: got, ms: ended - started }]
  return [...queued, { name: got, ms: answered - started }, { name: 'extract', ms: ended - answered }]
}
