// Looking ahead: a few pages asked for like any pages of a job, read back, and forgotten again.
import { randomBytes } from 'node:crypto'
import { type GivenSpec, givenSpec, type Job } from '../model/job.ts'
import type { Page } from '../model/page.ts'
import type { Reason, Task } from '../model/task.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Store } from '../ports/store.ts'
import { readPage } from '../results/read-page.ts'

export interface LookedPage {
  url: string
  reason: Reason | null
  message: string | null
  status: number | null
  bytes: number
  ms: number
  /** What came, well or not; null where nothing did. */
  page: Page | null
}

/** Asks for these, politely, and keeps nothing but what is known of their hosts. */
export type LookAt = (urls: string[]) => Promise<LookedPage[]>

/** A list of these pages, asked for as the job would, whatever else it does with pages. */
export function lookingJob(given: GivenSpec, urls: string[]): GivenSpec {
  const { limits, ...policy } = given.policy
  const { userAgent, session, cookiesFile, timeoutMs, concurrency } = given
  return givenSpec.parse({
    ...{ urls, userAgent, session, cookiesFile, timeoutMs, concurrency },
    ...{ query: given.query, headers: given.headers, pii: given.pii },
    jobId: `plan-${randomBytes(5).toString('hex')}`,
    render: false,
    dedupe: false,
    policy: { ...policy, retries: { ...policy.retries, attempts: 1 } },
    labels: { purpose: 'plan' },
  })
}

/** What became of each page of a looking job, in the order in which they were named. */
export async function lookedAt(
  { store, blobs }: { store: Store; blobs: Blobs },
  { id }: Pick<Job, 'id'>,
): Promise<LookedPage[]> {
  const tasks = await store.tasks.list(id)
  return Promise.all(tasks.map(task => lookedPage(store, blobs, task)))
}

async function lookedPage(store: Store, blobs: Blobs, task: Task): Promise<LookedPage> {
  const last = (await store.tasks.attempts(task.jobId, task.n)).at(-1)
  const page = last?.raw ? await readPage(blobs, last.raw).catch(() => null) : null
  return {
    ...{ url: task.url, reason: task.reason, message: task.message, page },
    status: last?.status ?? null,
    bytes: last?.bytes ?? 0,
    ms: last ? last.endedAt - last.startedAt : 0,
  }
}
