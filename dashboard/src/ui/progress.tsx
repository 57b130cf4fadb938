// The progress of a job: one bar, divided by outcome.
import type { JobCountsShown } from '../api.ts'
import { count, percent, short } from '../format.ts'

type Counts = Pick<JobCountsShown, 'tasks' | 'byState'>

export const doneOf = ({ byState }: Pick<Counts, 'byState'>): number =>
  byState.succeeded + byState.failed + byState.skipped + byState.cancelled

export function ProgressBar({ counts }: { counts: Counts }) {
  const { tasks, byState } = counts
  const width = (value: number) => ({ width: tasks === 0 ? '0' : `${(value / tasks) * 100}%` })
  const done = doneOf(counts)
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="Tasks that have ended"
      aria-valuemin={0}
      aria-valuemax={Math.max(1, tasks)}
      aria-valuenow={done}
      title={`${count(byState.succeeded)} succeeded, ${count(byState.failed)} failed, ${count(byState.skipped + byState.cancelled)} skipped`}
    >
      <span class="ok" style={width(byState.succeeded)} />
      <span class="bad" style={width(byState.failed)} />
      <span class="idle" style={width(byState.skipped + byState.cancelled)} />
      <span class="info" style={width(byState.in_progress + byState.queued)} />
    </div>
  )
}

export const ProgressCell = ({ counts }: { counts: Counts }) => (
  <span class="progress-cell">
    <ProgressBar counts={counts} />
    <small>
      {short(doneOf(counts))} of {short(counts.tasks)} · {percent(doneOf(counts), counts.tasks)}
    </small>
  </span>
)
