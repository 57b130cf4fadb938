// The attempts of a task over time: how long each one waited, and how long fetching, parsing and storing took.
import type { Item } from '../../api.ts'
import { bytes, momentInFull, span } from '../../format.ts'
import { outcomeTone } from '../../state-words.ts'
import { Badge, Empty, Time } from '../../ui/parts.tsx'

type Attempt = Item['history'][number]

interface Phase {
  name: 'queued' | 'fetch' | 'render' | 'extract' | 'store'
  from: string
  ms: number
}

export function Timeline({ task }: { task: Item }) {
  if (task.history.length === 0)
    return (
      <Empty icon="clock" title="Not tried yet">
        The task waits for a slot at its host.
      </Empty>
    )
  return (
    <ol class="timeline">
      {task.history.map(attempt => (
        <AttemptRow key={attempt.attempt} attempt={attempt} />
      ))}
    </ol>
  )
}

function AttemptRow({ attempt }: { attempt: Attempt }) {
  const phases = phasesOf(attempt)
  const all = phases.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <li class="attempt">
      <div class="attempt-head">
        <b>Attempt {attempt.attempt}</b>
        <Badge tone={outcomeTone(attempt.outcome)}>{attempt.outcome}</Badge>
        {attempt.httpStatus !== null && <span class="tag">HTTP {attempt.httpStatus}</span>}
        <span class="tag">{attempt.way === 'browser' ? 'browser' : 'plain HTTP'}</span>
        <span class="muted">
          <Time at={attempt.startedAt} /> · {bytes(attempt.bytes)} · {span(all)} in all
        </span>
      </div>
      {attempt.message && <div class="muted">{attempt.message}</div>}
      {/* Hidden from screen readers: the list below has the same content as text. */}
      <div class="phases" aria-hidden="true">
        {phases.map(({ name, ms }) => (
          <span key={name} class={`phase ${name}`} style={{ flexGrow: all === 0 ? 1 : ms / all }} />
        ))}
      </div>
      <ul class="legend" aria-label={`Time of each phase of attempt ${attempt.attempt}`}>
        {phases.map(({ name, from, ms }) => (
          <li key={name} title={`from ${momentInFull(from)}`}>
            <i class={`phase ${name}`} />
            {name} <b>{span(ms)}</b>
          </li>
        ))}
      </ul>
    </li>
  )
}

/** Each phase starts where the one before ended. Phases that were not measured are omitted. */
function phasesOf({ queuedAt, startedAt, endedAt, readAt, storedAt, way }: Attempt): Phase[] {
  const between = (name: Phase['name'], from: string, until: string | null): Phase[] =>
    until === null ? [] : [{ name, from, ms: Math.max(0, Date.parse(until) - Date.parse(from)) }]
  return [
    ...between('queued', queuedAt, startedAt),
    ...between(way === 'browser' ? 'render' : 'fetch', startedAt, endedAt),
    ...between('extract', endedAt, readAt),
    ...between('store', readAt ?? endedAt, storedAt),
  ]
}
