// Fetches a few sample pages for a plan with a normal job, and deletes the job afterwards.
import { randomBytes } from 'node:crypto'
import { parseDocument } from '../../extract/document/index.ts'
import { findLinks } from '../../extract/links.ts'
import { renderNeed } from '../../extract/render-need.ts'
import { decodeText } from '../../fetch/http/index.ts'
import { parseSitemap } from '../../frontier/sitemaps.ts'
import { type GivenSpec, givenSpec, type Job } from '../../model/job.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { Reason, Task } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { readPage } from '../../results/read-page.ts'

export interface LookedPage {
  url: string
  reason: Reason | null
  message: string | null
  status: number | null
  bytes: number
  ms: number
  /** What was found in the page. Null if nothing was fetched, or if the page is too costly to parse. */
  seen: SeenAhead | null
}

/** The facts about a sample page that a plan uses. */
export interface SeenAhead {
  base: string
  /** The links as written in the page, or the URLs of a sitemap. */
  hrefs: string[]
  /** Further sitemaps that a sitemap names. */
  sitemaps: string[]
  /** Why the page needs a browser; null if it does not. */
  browserNeed: string | null
}

export type LookedKind = 'page' | 'sitemap'

/** Fetches these URLs politely. Only the host states are stored. */
export type LookAt = (urls: string[], kind: LookedKind) => Promise<LookedPage[]>

/** Parses a page. May use another process, because parsing a costly page can kill the process. */
export type SeeAhead = (page: Page, kind: LookedKind) => SeenAhead | Promise<SeenAhead>

/** Maximum number of URLs that are used from one sitemap. */
const mostHrefs = 50_000

export function seeAhead(page: Page, kind: LookedKind): SeenAhead {
  const nothing = { base: page.finalUrl, hrefs: [], sitemaps: [], browserNeed: null }
  if (kind === 'sitemap') {
    const { urls, sitemaps } = page.status === 200 ? parseSitemap(page.body) : { urls: [], sitemaps: [] }
    return { ...nothing, hrefs: urls.slice(0, mostHrefs).map(({ loc }) => loc), sitemaps }
  }
  const document = parseDocument(decodeText(page))
  const { base, hrefs } = findLinks(document, page.finalUrl)
  const isHtml = mediaTypeOf(page.headers).includes('html')
  const need = isHtml ? renderNeed({ document, missingRequired: [] }) : { needs: false as const }
  return {
    ...{ ...nothing, base, hrefs: page.status === 200 ? hrefs.slice(0, mostHrefs) : [] },
    browserNeed: need.needs ? need.why : null,
  }
}

/** The sampling job: a list of these URLs with the settings of the given job. */
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

/** The result of each page of a sampling job, in the given order. */
export async function lookedAt(
  parts: { store: Store; blobs: Blobs; see: SeeAhead },
  { id }: Pick<Job, 'id'>,
  kind: LookedKind,
): Promise<LookedPage[]> {
  const tasks = await parts.store.tasks.list(id)
  return Promise.all(tasks.map(task => lookedPage(parts, task, kind)))
}

async function lookedPage(
  { store, blobs, see }: { store: Store; blobs: Blobs; see: SeeAhead },
  task: Task,
  kind: LookedKind,
): Promise<LookedPage> {
  const last = (await store.tasks.attempts(task.jobId, task.n)).at(-1)
  const page = last?.raw ? await readPage(blobs, last.raw).catch(() => null) : null
  return {
    ...{ url: task.url, reason: task.reason, message: task.message },
    seen: page && (await Promise.try(() => see(page, kind)).catch(() => null)),
    status: last?.status ?? null,
    bytes: last?.bytes ?? 0,
    ms: last ? last.endedAt - last.startedAt : 0,
  }
}
