// Looking things up in a data directory: a job, a raw page, why a URL is where it is.
import type { Writable } from 'node:stream'
import { ChangingPolicies, hostPolicies } from '../../config/host-policies.ts'
import type { Settings } from '../../config/settings.ts'
import { parseDocument } from '../../extract/document/index.ts'
import type { Proposal } from '../../extract/llm/proposed-rules.ts'
import { formatPage } from '../../extract/page-formats.ts'
import { decodeText } from '../../fetch/http/index.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { Failure } from '../../model/failures.ts'
import { hasEnded, type Job, type Output } from '../../model/job.ts'
import { mediaTypeOf } from '../../model/page/page.ts'
import type { JobPace } from '../../model/policy/pace.ts'
import { CrawlList } from '../../pipeline/coordinate/crawl-list.ts'
import { crawlEntries } from '../../pipeline/coordinate/keep-conduct.ts'
import { type Explanation, explainUrl } from '../../pipeline/report/explain-url.ts'
import { storedPace } from '../../pipeline/report/stored-pace.ts'
import { isMarkup } from '../../pipeline/work/read-page.ts'
import { writeCrawlee } from '../../results/exports/crawlee.ts'
import { exportJob } from '../../results/exports/export-job.ts'
import { exportRaw } from '../../results/exports/export-raw.ts'
import { proposedRulesKey } from '../../results/keys.ts'
import { readPage } from '../../results/read-page.ts'
import type { DataDirectory } from '../data-directory.ts'

export type { Proposal, ProposedField } from '../../extract/llm/proposed-rules.ts'
export { pageNote } from '../../results/exports/page-note.ts'

export async function jobNamed(data: DataDirectory, jobId: string): Promise<Job> {
  const job = await data.store.jobs.get(jobId)
  if (job) return job
  throw new Failure(
    'job.unknown',
    `there is no job "${jobId}" in ${data.path}; \`kscrape jobs list\` shows what there is`,
    { jobId },
  )
}

/** What a language model proposed for a job, and what was kept of it; null when it was not asked for rules. */
export async function proposedRules({ blobs }: DataDirectory, jobId: string): Promise<Proposal | null> {
  const bytes = await blobs.get(proposedRulesKey(jobId))
  return bytes ? (JSON.parse(bytes.toString()) as Proposal) : null
}

/** The source of a task's page as it was last fetched; null when it was not kept. */
export async function sourceOf(data: DataDirectory, jobId: string, n: number): Promise<string | null> {
  const raw = (await data.store.tasks.attempts(jobId, n)).at(-1)?.raw
  return raw ? decodeText(await readPage(data.blobs, raw)) : null
}

/** All of a page as markdown or text, navigation and footers too. Null if it was not kept or is not HTML. */
export async function wholePageAs(
  data: DataDirectory,
  jobId: string,
  n: number,
  format: 'markdown' | 'text',
): Promise<string | null> {
  const raw = (await data.store.tasks.attempts(jobId, n)).at(-1)?.raw
  if (!raw) return null
  const page = await readPage(data.blobs, raw)
  if (!isMarkup(mediaTypeOf(page.headers), page.body)) return null
  const notes = { url: page.url, finalUrl: page.finalUrl, status: page.status, fetchedAt: page.endedAt }
  return formatPage(parseDocument(decodeText(page)), notes, format, { full: true })
}

export async function explain(
  data: DataDirectory,
  settings: Settings,
  jobId: string,
  url: string,
): Promise<Explanation> {
  const job = await jobNamed(data, jobId)
  const userAgent = job.spec.userAgent ?? userAgentOf(settings)
  const crawlList = new CrawlList(await crawlEntries(data.store.conduct, settings))
  const policies = new ChangingPolicies(hostPolicies(settings))
  policies.setOverrides(await data.store.conduct.overrides())
  const { policyFor } = policies
  const { ceilings } = settings
  const parts = { store: data.store, userAgent, crawlList, policyFor, ceilings, now: Date.now() }
  return explainUrl(parts, job, url)
}

/** The pace of a job that has not ended; null when no task waits. Another process may run it. */
export async function paceOfJob(data: DataDirectory, settings: Settings, job: Job): Promise<JobPace | null> {
  if (hasEnded(job.state)) return null
  const policies = new ChangingPolicies(hostPolicies(settings))
  policies.setOverrides(await data.store.conduct.overrides())
  const userAgent = job.spec.userAgent ?? userAgentOf(settings)
  const { policyFor } = policies
  return storedPace({ store: data.store, policyFor, userAgent, now: Date.now() }, job)
}

/** Returns how many records were written. */
export async function exportRecords(
  data: DataDirectory,
  jobId: string,
  output: Output,
  stdout: Writable,
): Promise<number> {
  const { store, blobs } = data
  const { rows } = await exportJob({ store, blobs, stdout }, await jobNamed(data, jobId), output)
  return rows
}

/** Raw pages as Parquet; returns how many. */
export async function exportPages(data: DataDirectory, jobId: string, folder: string): Promise<number> {
  const { rows } = await exportRaw(data, await jobNamed(data, jobId), folder)
  return rows
}

/** The records in the layout of Crawlee's datasets; how many they are. */
export async function exportDataset(data: DataDirectory, jobId: string, folder: string): Promise<number> {
  return writeCrawlee(data, await jobNamed(data, jobId), folder)
}
