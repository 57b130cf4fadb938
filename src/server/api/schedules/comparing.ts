// Compares two runs of a schedule: choice of the runs, counts, and pages of differences.
import { Failure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import type { Difference, Schedule } from '../../../model/schedule.ts'
import {
  type Compared,
  type ComparedPlace,
  type Comparison,
  comparedAfter,
  compareRuns,
} from '../../../pipeline/report/compare-runs.ts'
import type { Store } from '../../../ports/store.ts'
import { isoTime } from '../../http/responses.ts'

type Parts = { store: Store }

export interface RunsAsked {
  /** Job ids of two runs. Default: the last two ended runs. */
  from?: string | undefined
  to?: string | undefined
  /** Kinds of differences to list. Kinds that are not listed are still counted. */
  difference: readonly Difference[]
  limit: number
  start?: ComparedPlace
}

/** `compare` may return a cached comparison of the same two runs. */
export async function compareSchedule(
  parts: Parts,
  schedule: Schedule,
  asked: RunsAsked,
  compare: (from: Job, to: Job) => Promise<Comparison> = (from, to) => compareRuns(parts.store, from, to),
) {
  const { difference, limit, start = { run: 'to', index: 0 } } = asked
  const [from, to] = await runsOf(parts, schedule, asked)
  const comparison = await compare(from, to)
  const page = await comparedAfter(parts.store, comparison, start, { limit, wants: new Set(difference) })
  const shown = {
    scheduleId: chosenId(schedule.id),
    ...{ from: shownSide(from), to: shownSide(to), counts: comparison.counts },
    items: page.found.map(shownItem),
  }
  return { shown, place: page.place }
}

export type ComparisonShown = Awaited<ReturnType<typeof compareSchedule>>['shown']

const shownSide = ({ id: jobId, createdAt }: Job) => ({ jobId, createdAt: isoTime(createdAt) })

/** Keys inside `data` belong to the record, so they are not converted to snake_case. */
const shownItem = ({ before, after, ...item }: Compared) => ({
  ...item,
  before: before && { data: before },
  after: after && { data: after },
})

export async function runsOf(
  parts: Parts,
  schedule: Schedule,
  asked: { from?: string | undefined; to?: string | undefined },
): Promise<[Job, Job]> {
  const to = asked.to ? await runNamed(parts, schedule, asked.to, 'to') : null
  const from = asked.from ? await runNamed(parts, schedule, asked.from, 'from') : null
  if (to && from) return [from, to]
  const ended = await lastEnded(parts, schedule)
  const later = to ?? ended[0]
  const earlier =
    from ?? ended.find(({ id, createdAt }) => later && id !== later.id && createdAt <= later.createdAt)
  if (later && earlier) return [earlier, later]
  throw new Failure(
    'job.wrong-state',
    `schedule ${chosenId(schedule.id)} has ${ended.length} runs that ended; two are needed to compare`,
    { scheduleId: schedule.id },
  )
}

async function runNamed({ store }: Parts, schedule: Schedule, jobId: string, path: string): Promise<Job> {
  const job = await store.jobs.get(jobId)
  if (!job || job.scheduleId !== schedule.id || job.workspace !== schedule.workspace)
    throw new Failure(
      'job.unknown',
      `${path}: job "${jobId}" is not a run of schedule ${chosenId(schedule.id)}; GET /schedules/${chosenId(schedule.id)}/runs lists them`,
      { path },
    )
  if (hasEnded(job.state)) return job
  throw new Failure(
    'job.wrong-state',
    `${path}: job ${jobId} is ${job.state}; only ended runs can be compared`,
    {
      path,
    },
  )
}

/** Number of runs that are searched for two comparable ones. Cancelled, deleted and skipped runs are not comparable. */
const runsLookedAt = 100

const lastEnded = ({ store }: Parts, { id: scheduleId, workspace }: Schedule): Promise<Job[]> =>
  store.jobs.list({
    ...{ scheduleId, workspace, limit: runsLookedAt },
    states: ['completed', 'partially_completed', 'failed'],
  })
