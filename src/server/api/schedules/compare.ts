// GET /schedules/{id}/compare: two runs beside each other.
import * as z from 'zod'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { id } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { type Comparison, compareRuns, differences } from '../../../pipeline/report/compare-runs.ts'
import { pageQuery, problemSchema } from '../../answers.ts'
import type { App } from '../../app.ts'
import { cursorOf, placeIn } from '../../cursors.ts'
import type { Server } from '../../parts.ts'
import { compareSchedule } from './comparing.ts'
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
      const { cursor, ...asked } = request.query
      const start = placeIn(cursor, place)
      const compare = (from: Job, to: Job) => remembered(known, server, from, to)
      const page = { ...asked, ...(start && { start }) }
      const compared = await compareSchedule(server.parts, schedule, page, compare)
      return { ...compared.shown, nextCursor: compared.place ? cursorOf(compared.place) : null }
    },
  )
}

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
