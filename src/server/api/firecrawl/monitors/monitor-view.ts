// Monitors and their checks in Firecrawl's form.
import { Failure } from '../../../../model/failures.ts'
import { chosenId } from '../../../../model/ids.ts'
import { hasEnded, type Job } from '../../../../model/job.ts'
import type { Check, MonitorTerms, PageChange } from '../../../../model/monitor.ts'
import type { Schedule } from '../../../../model/schedule.ts'
import { isoTime, isoTimeOrNull } from '../../../http/responses.ts'
import type { Server } from '../../../parts.ts'
import { type Checks, termsOf } from '../../monitors/checks.ts'
import { givenMonitor } from './monitor-job.ts'

const mostRuns = 100
const dayMs = 86_400_000

/** All runs of a monitor, newest first, including running ones. */
export const monitorRuns = ({ parts }: Server, { id, workspace }: Schedule): Promise<Job[]> =>
  parts.store.jobs.list({ scheduleId: id, workspace, limit: mostRuns })

const isComparable = ({ state }: Job): boolean => hasEnded(state) && state !== 'cancelled'

export async function shownMonitor(server: Server, checks: Checks, schedule: Schedule) {
  const { name, cron, timeZone, paused, createdAt, nextAt } = schedule
  const runs = await monitorRuns(server, schedule)
  const ended = runs.findIndex(isComparable)
  const terms = termsOf(schedule)!
  const last =
    ended === -1 ? null : await checks.of(runs[ended]!, runs.slice(ended + 1).filter(isComparable), terms)
  const given = givenMonitor(schedule)
  return {
    ...{ id: chosenId(schedule.id), name, status: paused ? 'paused' : 'active' },
    schedule: { cron, timezone: timeZone },
    nextRunAt: paused ? null : isoTimeOrNull(nextAt),
    lastRunAt: runs[0] ? isoTime(runs[0].createdAt) : null,
    currentCheckId: runs.find(({ state }) => !hasEnded(state))?.id ?? null,
    targets: given?.targets ?? targetsOf(schedule),
    webhook: given?.webhook ?? (terms.webhookUrl === undefined ? null : { url: terms.webhookUrl }),
    notification: given?.notification ?? null,
    retentionDays: given?.retentionDays ?? Math.round((server.settings.jobRetention || 365 * dayMs) / dayMs),
    estimatedCreditsPerMonth: null,
    lastCheckSummary: last && summaryOf(last),
    ...{ goal: null, judgeEnabled: false },
    ...{ createdAt: isoTime(createdAt), updatedAt: isoTime(createdAt) },
  }
}

/** The targets of a monitor that was created at `/monitors`, in Firecrawl's form. */
function targetsOf({ job }: Schedule): object[] {
  const { urls, items, seed_urls: seeds, sitemap_url: sitemap } = job as Record<string, unknown>
  const listed = (urls ??
    (items as Array<{ input?: { url?: string } }> | undefined)?.map(({ input }) => input?.url)) as
    | string[]
    | undefined
  if (listed) return [{ type: 'scrape', urls: listed }]
  return [seeds ?? sitemap ?? []].flat().map(url => ({ type: 'crawl', url }))
}

const summaryOf = ({ counts }: Check) => ({
  totalPages: Object.values(counts).reduce((sum, count) => sum + count, 0),
  ...counts,
})
const nothing = { totalPages: 0, new: 0, same: 0, changed: 0, removed: 0, error: 0 }

const statuses: Partial<Record<Job['state'], string>> = {
  ...{ pending: 'queued', running: 'running', paused: 'running', finishing: 'running' },
  ...{ completed: 'completed', partially_completed: 'partial', failed: 'failed', cancelled: 'failed' },
}

/** `earlier`: the runs before `job`, newest first. */
export async function shownCheck(
  checks: Checks,
  schedule: Schedule,
  terms: MonitorTerms,
  job: Job,
  earlier: readonly Job[],
) {
  const check = isComparable(job) ? await checks.of(job, earlier.filter(isComparable), terms) : null
  return {
    ...{ id: chosenId(job.id), monitorId: chosenId(schedule.id), status: statuses[job.state] },
    ...{ trigger: 'scheduled', scheduledFor: isoTime(job.createdAt) },
    ...{ startedAt: isoTimeOrNull(job.startedAt), finishedAt: isoTimeOrNull(job.finishedAt) },
    ...{
      estimatedCredits: null,
      reservedCredits: null,
      actualCredits: null,
      billingStatus: 'not_applicable',
    },
    summary: check ? summaryOf(check) : nothing,
    error: job.state === 'failed' || job.state === 'cancelled' ? (job.reason ?? job.state) : null,
    ...{ createdAt: isoTime(job.createdAt), updatedAt: isoTime(job.finishedAt ?? job.createdAt) },
  }
}

export async function shownPages(
  checks: Checks,
  schedule: Schedule,
  terms: MonitorTerms,
  runs: readonly Job[],
  checkId: string,
) {
  const index = runs.findIndex(({ id }) => chosenId(id) === checkId)
  const job = runs[index]
  if (!job)
    throw new Failure('job.unknown', `"${checkId}" is not a check of monitor ${chosenId(schedule.id)}`)
  const earlier = runs.slice(index + 1)
  const found = isComparable(job) ? await checks.of(job, earlier.filter(isComparable), terms) : null
  const check = await shownCheck(checks, schedule, terms, job, earlier)
  const target = (givenMonitor(schedule)?.targets[0] as { id?: string } | undefined)?.id ?? 'target-1'
  const pages = (found?.changes ?? []).map((change, at) =>
    pageOf(change, `${check.id}-${at + 1}`, target, check.createdAt),
  )
  return { check, pages }
}

const pageOf = (
  { url, status, diff, fields, reason, title }: PageChange,
  id: string,
  targetId: string,
  at: string,
) => ({
  ...{ id, targetId, url, status, previousScrapeId: null, currentScrapeId: null, statusCode: null },
  error: status === 'error' ? reason : null,
  metadata: { title, ...(reason !== null && { reason }) },
  diff:
    diff === null && fields.length === 0
      ? null
      : {
          ...(diff !== null && { text: diff }),
          json: Object.fromEntries(
            fields.map(({ field, before, after }) => [field, { previous: before, current: after }]),
          ),
        },
  ...{ snapshot: null, judgment: null, createdAt: at },
})
