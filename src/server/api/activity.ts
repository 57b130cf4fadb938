// The activity API: pages, records and errors of all jobs of a workspace over time.

import * as z from 'zod'
import { type ActivityRange, activity, activityOfJobs, activityOfJobsQuery } from '../../model/api/service.ts'
import { type FailureCode, failures } from '../../model/failures.ts'
import { chosenId } from '../../model/ids.ts'
import type { HourCount } from '../../ports/activity.ts'
import type { App, RouteGroup } from '../app.ts'
import { isoTime } from '../http/responses.ts'
import type { ServerParts } from '../parts.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The time ranges that a caller can request, each with the length of its steps. */
const ranges = {
  '24h': { lengthMs: dayMs, stepMs: hourMs },
  '7d': { lengthMs: 7 * dayMs, stepMs: 6 * hourMs },
  '30d': { lengthMs: 30 * dayMs, stepMs: dayMs },
} as const satisfies Record<ActivityRange, { lengthMs: number; stepMs: number }>

const mostFailures = 50
const mostJobs = 100

export const activityApi: RouteGroup = {
  name: 'activity',
  about: 'Pages, records and errors of all jobs over time. Every attempt is counted when it ends.',
  addRoutes(app, { parts }) {
    addOfJobs(app, parts)
    app.get(
      '/activity',
      {
        config: { scope: 'read' },
        schema: {
          summary: 'Get pages, records and errors over time',
          description: 'Deleted jobs no longer count. Steps are in UTC; steps without attempts are left out.',
          querystring: z.strictObject({ range: activity.shape.range.default('24h') }),
          response: { 200: activity },
        },
      },
      async ({ query: { range }, caller: { workspace } }) => {
        const { stepMs } = ranges[range]
        const from = startOf(range, parts.clock.now())
        const hours = await parts.store.activity.hours({ workspace, from })
        const failed = await parts.store.activity.failures({ workspace, from, limit: 4 * mostFailures })
        return {
          ...{ range, from: isoTime(from), stepMs, ...sumOf(hours), steps: stepsOf(hours, from, stepMs) },
          failures: failed
            .filter(({ outcome }) => isError(outcome))
            .slice(0, mostFailures)
            .map(({ host, outcome, attempts, jobId }) => ({
              ...{ host, reason: outcome, attempts, jobId: chosenId(jobId) },
            })),
        }
      },
    )
  },
}

/** The counts of `/activity` by job. */
function addOfJobs(app: App, { store, clock }: Pick<ServerParts, 'store' | 'clock'>): void {
  app.get(
    '/activity/jobs',
    {
      config: { scope: 'read' },
      schema: {
        summary: 'Get pages, records or errors over time by job',
        description:
          'Lists the jobs behind a count of `/activity`, over the same time range. With `show=errors`, `reason` and `host` select errors.',
        querystring: activityOfJobsQuery,
        response: { 200: activityOfJobs },
      },
    },
    async ({ query: { range, show, host, reason }, caller: { workspace } }) => {
      const from = startOf(range, clock.now())
      const by = show === 'errors' ? 'attempts' : show
      const { jobs, jobCount, ...sums } = await store.activity.jobs({
        ...{ workspace, from, by, limit: mostJobs, ...(host !== undefined && { host }) },
        ...(show === 'errors' && {
          outcomes: errors.filter(code => reason === undefined || code === reason),
        }),
      })
      const shown = jobs.map(job => ({ jobId: chosenId(job.jobId), count: job[by] }))
      return { range, from: isoTime(from), show, count: sums[by], jobCount, jobs: shown }
    },
  )
}

function startOf(range: ActivityRange, now: number): number {
  const { lengthMs, stepMs } = ranges[range]
  return Math.floor((now - lengthMs) / stepMs + 1) * stepMs
}

const errors = (Object.keys(failures) as FailureCode[]).filter(code => failures[code].ends === 'failed')

/** Skipped pages are not errors: robots.txt or a rule of the job excludes them. */
const isError = (outcome: string): boolean => failures[outcome as FailureCode]?.ends === 'failed'

function sumOf(hours: readonly HourCount[]) {
  const sum = { pages: 0, records: 0, attempts: 0, errors: 0 }
  for (const { outcome, attempts, pages, records } of hours) {
    sum.pages += pages
    sum.records += records
    sum.attempts += attempts
    if (isError(outcome)) sum.errors += attempts
  }
  return sum
}

function stepsOf(hours: readonly HourCount[], from: number, stepMs: number) {
  const steps = Map.groupBy(hours, ({ at }) => from + Math.floor((at - from) / stepMs) * stepMs)
  return [...steps].map(([at, own]) => ({ at: isoTime(at), ...sumOf(own), byReason: reasonsOf(own) }))
}

function reasonsOf(hours: readonly HourCount[]): Record<string, number> {
  const reasons: Record<string, number> = {}
  for (const { outcome, attempts } of hours)
    if (isError(outcome)) reasons[outcome] = (reasons[outcome] ?? 0) + attempts
  return reasons
}
