// The main numbers of a job.
import type { JobStatus } from '../../api.ts'
import { bytes, count, moment, percent, rate, several, span } from '../../format.ts'
import { hasEnded } from '../../state-words.ts'
import { Stat } from '../../ui/parts.tsx'
import { doneOf, ProgressBar } from '../../ui/progress.tsx'

export function JobMetrics({ job }: { job: JobStatus }) {
  const { counts, rates, estimate, progress } = job
  const isOver = hasEnded(job.status)
  const isPaused = job.status === 'paused'
  const left = estimate.seconds === null ? estimate.why : `about ${span(estimate.seconds * 1_000)} left`
  return (
    <div class="stack">
      <div class="stats">
        <Stat
          name={progress.isTotalKnown ? 'Tasks done' : 'Tasks done so far'}
          value={`${count(doneOf(counts))} of ${count(counts.tasks)}`}
          note={percent(doneOf(counts), counts.tasks)}
        />
        <Stat name="Records" value={count(counts.records)} note={`from ${several(counts.pages, 'page')}`} />
        {isOver ? (
          <Stat
            name="Average pace"
            value={rate(rates.averageTasksPerSecond ?? 0)}
            note="from the first to the last task"
          />
        ) : (
          <Stat
            name="Pace now"
            value={rate(rates.tasksPerSecond)}
            note={`${count(progress.inFlight)} running`}
          />
        )}
        <Stat
          name="Failed"
          value={count(counts.byState.failed)}
          note={`${count(counts.byState.skipped)} skipped`}
          {...(counts.byState.failed > 0 && { tone: 'bad' as const })}
        />
        <Stat name="Fetched" value={bytes(counts.bytes)} note={`${count(counts.rendered)} by browser`} />
        <Stat
          name={isOver ? 'Took' : 'Running for'}
          value={tookOf(job)}
          note={isOver ? endedWords(job) : isPaused ? 'it is paused' : left}
        />
      </div>
      <ProgressBar counts={counts} />
    </div>
  )
}

const endedWords = ({ finishedAt }: JobStatus): string | undefined =>
  finishedAt === null ? undefined : `until ${moment(finishedAt)}`

const tookOf = ({ startedAt, finishedAt }: JobStatus): string =>
  startedAt === null ? '–' : span((finishedAt ? Date.parse(finishedAt) : Date.now()) - Date.parse(startedAt))
