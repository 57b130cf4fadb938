// GET /schedules/{id}/compare: two runs beside each other.
import * as z from 'zod'
import { RecentMap } from '../../../lib/recent-map.ts'
import { Failure } from '../../../model/failures.ts'
import { chosenId, id } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import type { Schedule } from '../../../model/schedule.ts'
import {
  type Compared,
  type Comparison,
  comparedAfter,
  compareRuns,
  type Difference,
  differences,
} from '../../../pipeline/compare-runs.ts'
import { isoTime, pageQuery, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import type { Server } from '../../parts.ts'
import { comparison as comparisonSchema, scheduleParams } from './schemas.ts'
import { ownedSchedule } from './shown.ts'

const query = z.strictObject({
  from: id.optional().describe('The job of the earlier run; without, the last but one that ended.'),
  to: id.optional().describe('The job of the later run; without, the last one that ended.'),
  difference: z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(differences)))
    .default(['new', 'changed', 'gone'])
    .describe('Which to list, with commas; all are counted.'),
  ...pageQuery,
})

const place = z.strictObject({ run: z.enum(['to', 'from']), index: z.int().min(0) })

/** What was read of two runs is kept for the next pages of the same two. */
const rememberedComparisons = 4

export function addComparing(app: App, server: Server): void {
  const known = new RecentMap<string, Promise<Comparison>>(rememberedComparisons)
  app.get(
    '/schedules/:scheduleId/compare',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'What is new, changed, unchanged and gone between two runs',
        description:
          'By item id, or URL where there is none, and by what the record says; when it was fetched does not count.',
        params: scheduleParams,
        querystring: query,
        response: { 200: comparisonSchema, 404: problemSchema, 409: problemSchema, 422: problemSchema },
      },
    },
    async request => {
      const schedule = await ownedSchedule(server, request.caller, request.params.scheduleId)
      const { limit, cursor, difference } = request.query
      const [from, to] = await runsOf(server, schedule, request.query)
      const comparison = await remembered(known, server, from, to)
      const wants = new Set<Difference>(difference)
      const start = placeIn(cursor, place) ?? { run: 'to' as const, index: 0 }
      const page = await comparedAfter(server.parts.store, comparison, start, { limit, wants })
      return {
        scheduleId: chosenId(schedule.id),
        ...{ from: shownSide(from), to: shownSide(to), counts: comparison.counts },
        items: page.found.map(shownItem),
        nextCursor: page.place ? cursorOf(page.place) : null,
      }
    },
  )
}

const shownSide = ({ id: jobId, createdAt }: Job) => ({ jobId, createdAt: isoTime(createdAt) })

/** Records are below `data` everywhere: their words stay as they are. */
const shownItem = ({ before, after, ...item }: Compared) => ({
  ...item,
  before: before && { data: before },
  after: after && { data: after },
})

/** A job that was run again since is another one here. */
async function remembered(
  known: RecentMap<string, Promise<Comparison>>,
  { parts }: Server,
  from: Job,
  to: Job,
): Promise<Comparison> {
  const states = await Promise.all([from, to].map(({ id }) => parts.store.jobs.counts(id)))
  const key = JSON.stringify([
    from.id,
    from.finishedAt,
    to.id,
    to.finishedAt,
    states.map(({ records }) => records),
  ])
  const comparison = known.get(key) ?? compareRuns(parts.store, from, to)
  known.set(key, comparison)
  return comparison
}

async function runsOf(
  server: Server,
  schedule: Schedule,
  asked: { from?: string | undefined; to?: string | undefined },
): Promise<[Job, Job]> {
  const to = asked.to ? await runNamed(server, schedule, asked.to, 'to') : null
  const from = asked.from ? await runNamed(server, schedule, asked.from, 'from') : null
  if (to && from) return [from, to]
  const ended = await lastEnded(server, schedule)
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

async function runNamed({ parts }: Server, schedule: Schedule, jobId: string, path: string): Promise<Job> {
  const job = await parts.store.jobs.get(jobId)
  if (!job || job.scheduleId !== schedule.id || job.workspace !== schedule.workspace)
    throw new Failure(
      'job.unknown',
      `${path}: job "${jobId}" is no run of schedule ${chosenId(schedule.id)}; GET /schedules/${chosenId(schedule.id)}/runs lists them`,
      { path },
    )
  if (hasEnded(job.state)) return job
  throw new Failure(
    'job.wrong-state',
    `${path}: job ${jobId} is ${job.state}; runs are compared when they ended`,
    {
      path,
    },
  )
}

/** Far enough back to find two that were not cancelled, deleted or skipped. */
const runsLookedAt = 100

const lastEnded = ({ parts }: Server, { id: scheduleId, workspace }: Schedule): Promise<Job[]> =>
  parts.store.jobs.list({
    ...{ scheduleId, workspace, limit: runsLookedAt },
    states: ['completed', 'partially_completed', 'failed'],
  })
