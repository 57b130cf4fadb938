// A diagnosis of a job, from the store and from the process that runs it.
import { failedPages } from '../../lib/list-pages.ts'
import { cutMark } from '../../lib/secrets/secret-forms.ts'
import type { Job, JobSpec } from '../../model/job.ts'
import { leasedStates, type Task } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'
import { hideHeaders } from '../submit/sealed-headers.ts'
import type { JobProgress } from './job-progress.ts'
import { policyReport } from './policy-report.ts'

interface DiagnosedParts {
  store: Store
  /** The progress of the job. Unset if this process does not run the job. */
  progress?: (jobId: string) => Promise<JobProgress>
  /** The state of a host. */
  host: (host: string) => Promise<unknown>
}

const shownHosts = 20
const shownUrls = 20
const examplesOfReason = 5
const pageSize = 1_000
/** Limit of failures that are read to find the last ones of each reason. */
const mostFailures = 50_000

export async function diagnoseJob(parts: DiagnosedParts, job: Job): Promise<Record<string, unknown>> {
  const { store, progress } = parts
  const counts = await store.jobs.counts(job.id)
  const live = await progress?.(job.id).catch(() => null)
  const busiest = await store.hosts.ofJob(job.id, shownHosts)
  return {
    job: {
      ...{ ...job, spec: specShown(job.spec), counts },
      ...(live && { inFlight: live.inFlight, waiting: live.waiting, retries: live.retries }),
      nextRetryAt: await store.tasks.nextWake(job.id),
      outputs: await store.outputs.list(job.id),
      rejected: await store.tasks.rejected(job.id, { limit: shownUrls }),
      conduct: await store.conduct.notes(job.id),
    },
    policy: policyReport(job, counts),
    hosts: await Promise.all(busiest.map(async each => ({ ...each, known: await parts.host(each.host) }))),
    errors: { byReason: counts.byReason, last: await lastErrors(store, job.id) },
    waiting: (await store.tasks.list(job.id, { states: ['pending'], limit: pageSize }))
      .filter(({ attempt }) => attempt > 0)
      .slice(0, shownUrls)
      .map(taskShown),
    held: (await store.tasks.list(job.id, { states: [...leasedStates], limit: shownUrls })).map(taskShown),
    webhooks: await webhooksOf(store, job.id),
  }
}

/** The last few failed tasks of each reason. */
async function lastErrors(store: Store, jobId: string): Promise<Record<string, unknown[]>> {
  const last = new Map<Task['reason'], Task[]>()
  let seen = 0
  for await (const failed of failedPages(store.tasks, jobId, pageSize)) {
    for (const task of failed)
      last.set(task.reason, [...(last.get(task.reason) ?? []), task].slice(-examplesOfReason))
    seen += failed.length
    if (seen >= mostFailures) break
  }
  const entries = [...last].map(async ([reason, tasks]) => [
    reason,
    await Promise.all(
      tasks.map(async task => ({ ...taskShown(task), attempts: await triesAt(store, task) })),
    ),
  ])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, unknown[]>
}

const triesAt = async (store: Store, { jobId, n }: Task): Promise<unknown[]> =>
  (await store.tasks.attempts(jobId, n)).map(({ raw, artifacts, ...attempt }) => ({
    ...attempt,
    keptPage: raw !== null,
    artifacts: artifacts.length,
  }))

/** The facts of a task. They exclude its input, which may contain personal data. */
const taskShown = ({ n, url, host, state, reason, message, attempt, notBefore, depth }: Task) => ({
  ...{ n, url, host, state, reason, message, attempt, notBefore, depth },
})

async function webhooksOf(store: Store, jobId: string): Promise<unknown[]> {
  const told = await store.outbox.list({ jobId, limit: shownUrls })
  return Promise.all(
    told.map(async ({ url, ...webhook }) => ({
      ...{ ...webhook, url: originOf(url) },
      tries: await store.outbox.attempts(webhook.id),
    })),
  )
}

/** The origin of a URL, because the rest of a webhook URL is often a secret. */
export const originOf = (url: string): string => `${URL.parse(url)?.origin ?? ''}/…`

/** The spec without rows, header values and typed text. */
function specShown(spec: JobSpec): Record<string, unknown> {
  const { urls, items, actions, headers, webhookUrl, ...rest } = hideHeaders(spec)
  return {
    ...rest,
    ...(urls && { urls: some(urls) }),
    ...(items && { items: { count: items.length, fields: Object.keys(items[0]?.input ?? {}) } }),
    ...(actions && { actions: actions.map(({ type }) => type) }),
    ...(webhookUrl && { webhookUrl: originOf(webhookUrl) }),
    headers: Object.fromEntries(Object.keys(headers ?? {}).map(name => [name, cutMark])),
  }
}

const some = (urls: string[]) => ({ count: urls.length, first: urls.slice(0, shownUrls) })
