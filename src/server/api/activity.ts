// The activity API: pages, records and errors of all jobs of a workspace over time.
import * as z from 'zod'
import { type FailureCode, failures } from '../../model/failures.ts'
import { chosenId } from '../../model/ids.ts'
import type { HourCount } from '../../ports/activity.ts'
import { isoTime } from '../answers.ts'
import type { RouteGroup } from '../app.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Each with its step. */
const ranges = {
  '24h': { lengthMs: dayMs, stepMs: hourMs },
  '7d': { lengthMs: 7 * dayMs, stepMs: 6 * hourMs },
  '30d': { lengthMs: 30 * dayMs, stepMs: dayMs },
} as const
type Range = keyof typeof ranges

const mostFailures = 50

const counted = {
  pages: z.int().describe('Pages that were fetched.'),
  records: z.int().describe('Records that were extracted.'),
  attempts: z.int().describe('Attempts that ended, whatever their outcome.'),
  errors: z.int().describe('Attempts that failed. Skipped pages are not errors.'),
}

const activity = z.object({
  range: z.enum(Object.keys(ranges) as [Range, ...Range[]]),
  from: z.string(),
  stepMs: z.int(),
  ...counted,
  steps: z.array(
    z.object({
      at: z.string(),
      ...counted,
      byReason: z.record(z.string(), z.int()).describe('Errors by reason.'),
    }),
  ),
  failures: z
    .array(
      z.object({
        host: z.string(),
        reason: z.string(),
        attempts: z.int(),
        jobId: z.string().describe('The latest job with such an error.'),
      }),
    )
    .describe('Errors by host and reason, most first.'),
})

export const activityApi: RouteGroup = {
  name: 'activity',
  about: 'Pages, records and errors of all jobs over time. Every attempt is counted when it ends.',
  addRoutes(app, { parts }) {
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
        const { lengthMs, stepMs } = ranges[range]
        const from = Math.floor((parts.clock.now() - lengthMs) / stepMs + 1) * stepMs
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

/** A page that robots.txt or a rule of the job leaves out is no error. */
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
