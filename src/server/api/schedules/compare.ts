// GET /schedules/{id}/compare: compares two runs.
import * as z from 'zod'
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { pageQuery } from '../../../model/api/pages.ts'
import { comparison as comparisonSchema, scheduleParams } from '../../../model/api/schedules.ts'
import { id } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { differences } from '../../../model/schedule.ts'
import { type Comparison, compareRuns } from '../../../pipeline/report/compare-runs.ts'
import type { App } from '../../app.ts'
import { cursorOf, placeIn } from '../../http/cursors.ts'
import { problemSchema } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { compareSchedule } from './comparing.ts'
import { ownedSchedule } from './views.ts'

const query = z.strictObject({
  from: id.optional().describe('Job id of the earlier run. Default: the last but one ended run.'),
  to: id.optional().describe('Job id of the later run. Default: the last ended run.'),
  difference: z
    .string()
    .transform(text => text.split(','))
    .pipe(z.array(z.enum(differences)))
    .default(['new', 'changed', 'gone'])
    .describe(
      'Kinds of differences to list, separated by commas. Kinds that are not listed are still counted.',
    ),
  ...pageQuery,
})

const place = z.strictObject({ run: z.enum(['to', 'from']), index: z.int().min(0) })

/** Number of cached comparisons. A caller that reads further pages of a comparison uses the cache. */
const rememberedComparisons = 4

export function addComparing(app: App, server: Server): void {
  const known = new RecentMap<string, Promise<Comparison>>(rememberedComparisons)
  app.get(
    '/schedules/:scheduleId/compare',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Compare two runs: new, changed, unchanged and removed records',
        description:
          'Records are matched by item id, or by URL if they have no item id. The time of the fetch is ignored.',
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

/** The cache key contains end times and record counts, because a retried job has other results. */
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
