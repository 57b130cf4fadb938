// Usage of the workspace by month: pages as credits, and tokens of the language model. Nothing is billed.

import * as z from 'zod'
import { entriesById } from '../../../../lib/list-pages.ts'
import type { Caller } from '../../../../model/access.ts'
import type { Job, JobCounts } from '../../../../model/job.ts'
import type { App } from '../../../app.ts'
import { isoTime } from '../../../http/responses.ts'
import type { Server } from '../../../parts.ts'
import { read, readBody } from '../routes.ts'
import type { Version } from '../schemas.ts'

const query = z.strictObject({ byApiKey: z.stringbool().default(false) })

/** If the workspace has more jobs, the oldest are not counted and the response has a `warning`. */
const mostJobs = 5_000
const jobsAtOnce = 500
const countedAtOnce = 25

export function addUsage(app: App, server: Server, version: Version): void {
  app.get(`/v${version}/team/credit-usage/historical`, read, async request => {
    const { byApiKey } = readBody(query, request.query)
    return periods(server, request.caller, byApiKey, ({ pages }) => ({ creditsUsed: pages }))
  })
  app.get(`/v${version}/team/token-usage/historical`, read, async request => {
    const { byApiKey } = readBody(query, request.query)
    return periods(server, request.caller, byApiKey, ({ llmTokens }) => ({ tokensUsed: llmTokens }))
  })
}

type Used = Record<string, number>

async function periods(
  { parts }: Server,
  { workspace }: Caller,
  byKey: boolean,
  usedBy: (counts: JobCounts) => Used,
) {
  const { jobs, isCut } = await recentJobs(parts.store.jobs, workspace)
  const used: Array<{ job: Job; used: Used }> = []
  for (let at = 0; at < jobs.length; at += countedAtOnce)
    used.push(
      ...(await Promise.all(
        jobs
          .slice(at, at + countedAtOnce)
          .map(async job => ({ job, used: usedBy(await parts.store.jobs.counts(job.id)) })),
      )),
    )
  return {
    success: true,
    periods: byMonth(used, byKey),
    ...(isCut && { warning: `only the last ${mostJobs} jobs are counted` }),
  }
}

async function recentJobs(
  store: Server['parts']['store']['jobs'],
  workspace: string,
): Promise<{ jobs: Job[]; isCut: boolean }> {
  const jobs: Job[] = []
  for await (const job of entriesById(jobsAtOnce, page => store.list({ workspace, ...page }))) {
    if (jobs.length === mostJobs) return { jobs, isCut: true }
    jobs.push(job)
  }
  return { jobs, isCut: false }
}

/** Groups usage by calendar month in UTC, oldest first. */
export function byMonth(used: ReadonlyArray<{ job: Job; used: Used }>, byKey: boolean): object[] {
  const months = new Map<string, { start: number; end: number; apiKey: string; sums: Used }>()
  for (const { job, used: own } of used) {
    const created = new Date(job.createdAt)
    const [year, month] = [created.getUTCFullYear(), created.getUTCMonth()]
    const apiKey = job.keyId ?? 'none'
    const key = JSON.stringify([year, month, byKey && apiKey])
    const period = months.get(key) ?? {
      start: Date.UTC(year, month),
      end: Date.UTC(year, month + 1),
      apiKey,
      sums: {},
    }
    for (const [name, amount] of Object.entries(own)) period.sums[name] = (period.sums[name] ?? 0) + amount
    months.set(key, period)
  }
  return [...months.values()]
    .sort((first, second) => first.start - second.start)
    .map(({ start, end, apiKey, sums }) => ({
      ...{ startDate: isoTime(start), endDate: isoTime(end) },
      ...(byKey && { apiKey }),
      ...sums,
    }))
}
