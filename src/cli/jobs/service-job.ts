// Converts a job of a service to the local job type, so that the same code prints both.

import type { JobCountsShown, JobStatus, JobSummary } from '../../client.ts'
import { type Job, type JobCounts, type JobSpecInput, jobSpec } from '../../model/job.ts'
import type { JobPace } from '../../model/policy/pace.ts'
import type { Progress } from '../../roles/engine.ts'

const timeOf = (text: string | null): number | null => (text === null ? null : Date.parse(text))

const unknownIngest = { done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 }

export function jobOf(shown: JobSummary | JobStatus): Job {
  const asked = 'asked' in shown ? shown.asked : null
  const isFile = asked?.source.kind === 'upload_id' || asked?.source.kind === 'file'
  return {
    id: shown.jobId,
    kind: shown.kind,
    spec: specOf(shown),
    state: shown.status,
    reason: shown.reason,
    ...{ face: shown.face, scheduleId: shown.scheduleId, workspace: '', keyId: null },
    traceparent: null,
    resumeAt: timeOf(shown.resumeAt),
    ingest: {
      ...('ingest' in shown ? shown.ingest : unknownIngest),
      source: isFile ? (asked.source.first[0] ?? null) : null,
    },
    createdAt: Date.parse(shown.createdAt),
    startedAt: timeOf(shown.startedAt),
    finishedAt: timeOf(shown.finishedAt),
  }
}

/** The part of the spec that the service reports. Other fields get their defaults. */
function specOf(shown: JobSummary | JobStatus): Job['spec'] {
  const { scraperId, labels } = shown
  const given: JobSpecInput = { scraperId, labels }
  if (!('asked' in shown)) return jobSpec.parse(given)
  const { userAgent, robots, render, browser, maxPages, llm, llmTokens, outputs, retention } = shown.asked
  return {
    ...jobSpec.parse({
      ...given,
      ...{
        policy: { robots },
        render,
        browser,
        llm,
        output: outputs.map(({ path, format }) => ({ path, format })),
      },
      ...(userAgent !== null && { userAgent }),
      ...(maxPages !== null && { maxPages }),
      ...(llmTokens > 0 && { llmTokens }),
      ...(retention && { retention }),
    }),
    ...namesOf(shown.asked.source),
  }
}

function namesOf({ kind, first, count }: JobStatus['asked']['source']): Partial<Job['spec']> {
  if (kind === 'seed_urls') return { seedUrls: first }
  if (kind === 'urls') return { urls: first }
  if (kind === 'items') return { items: Array.from({ length: count }, () => ({ input: {} })) }
  return kind === 'sitemap_url' && first[0] !== undefined ? { sitemapUrl: first[0] } : {}
}

export const countsOf = (counts: JobCountsShown): JobCounts => counts as JobCounts

export const paceOf = ({
  perSecond,
  reason,
  slowestHost,
  pages,
  secondsLeft,
}: NonNullable<JobStatus['pace']>): JobPace => ({
  perSecond,
  reason,
  host: slowestHost,
  pages,
  leftMs: secondsLeft * 1_000,
})

export function progressOf(status: JobStatus): Progress {
  return {
    job: jobOf(status),
    counts: countsOf(status.counts),
    inFlight: status.progress.inFlight,
    hosts: status.hosts.active,
    waiting: status.waiting.map(wait => ({ ...wait, nextAt: timeOf(wait.nextAt) })) as Progress['waiting'],
    retries: { tasks: status.retries.tasks, nextAt: timeOf(status.retries.nextAt) },
    pace: status.pace && paceOf(status.pace),
  }
}
