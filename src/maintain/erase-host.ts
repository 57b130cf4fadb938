// Erasure: deletes everything that is stored about a host, and writes a receipt. After an interruption, run the erasure again to
// complete it.

import { forgetModelAnswers } from '../extract/llm/model.ts'
import { entriesById } from '../lib/list-pages.ts'
import { hostOfSnapshot, snapshotsPrefix } from '../lib/snapshot-keys.ts'
import type { ErasedCounts, ErasureReceipt } from '../model/api/operations.ts'
import { erasedPlace } from '../model/erasure.ts'
import { Failure } from '../model/failures.ts'
import { hasEnded, type Job, type JobSpec } from '../model/job.ts'
import type { StorageState } from '../model/policy/rendering.ts'
import { CrawlList } from '../pipeline/coordinate/crawl-list.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { ErasedHost } from '../ports/erasure.ts'
import type { Store } from '../ports/store.ts'
import { erasePages } from '../results/erase-pages.ts'
import {
  artifactFolder,
  domainOfRawPart,
  isWarcKey,
  itemFolder,
  itemIdOf,
  itemKeys,
  jobPrefix,
  proposedRulesKey,
} from '../results/keys.ts'
import { writeManifests } from '../results/manifests.ts'

export interface ErasureParts {
  store: Store
  blobs: Blobs
  sessions: ErasedSessions
  files: ErasedFiles
  now: number
}

/** The named sessions, with their cookies and storage. */
export interface ErasedSessions {
  list(): Promise<Array<{ name: string; state: StorageState }>>
  change(name: string, change: (state: StorageState) => StorageState): Promise<void>
}

/** The output files of jobs. */
export interface ErasedFiles {
  /** Rewrites the job's output files without erased data. Returns their number, and the files that were not changed. */
  rewrite(job: Job, options: { dryRun: boolean }): Promise<{ files: number; untouched: string[] }>
}

interface Erasure {
  /** `example.com` means the host on every port, `example.com:8080` only on that port, `*.example.com` the host and its subdomains. */
  host: string
  by: string
  neverAgain: boolean
  dryRun: boolean
}

const pageSize = 1_000
const deletedAtOnce = 1_000

/** Key prefix of the receipts in the blob store. */
const receiptsPrefix = 'erasures/'

export async function eraseHost(parts: ErasureParts, erasure: Erasure): Promise<ErasureReceipt> {
  const { store, blobs, now } = parts
  const round = new Round(parts, erasure)
  const jobs = await store.erasure.jobsOf(round.host)
  if (!erasure.dryRun) refuseOpen(erasure.host, jobs)
  for (const { jobId } of jobs) await round.job(jobId)
  await round.pages()
  await round.beside()
  if (!erasure.dryRun) await store.erasure.scrub()
  const { dryRun, neverAgain, by, host } = erasure
  const told = { host, at: new Date(now).toISOString(), by, dryRun, neverAgain }
  const receipt = { ...told, counts: round.counts, notes: round.notes }
  if (!dryRun) await blobs.put(receiptKey(now), Buffer.from(`${JSON.stringify(receipt, null, 2)}\n`))
  return receipt
}

const receiptKey = (now: number): string =>
  `${receiptsPrefix}${new Date(now).toISOString().replaceAll(':', '-')}-${Math.random().toString(36).slice(2, 8)}.json`

/** Throws if a job still has open tasks at the host, because they would store data of the host again. */
function refuseOpen(host: string, jobs: ReadonlyArray<{ jobId: string; open: number }>): void {
  const open = jobs.filter(job => job.open > 0).map(({ jobId }) => jobId)
  if (open.length === 0) return
  throw new Failure(
    'job.wrong-state',
    `${open.length === 1 ? 'job' : 'jobs'} ${open.slice(0, 5).join(', ')}${open.length > 5 ? ', …' : ''} still ${open.length === 1 ? 'has' : 'have'} open tasks at ${host}: cancel ${open.length === 1 ? 'the job' : 'the jobs'}, wait until the tasks have ended, or end them with --and-never-again, which adds the host to the do-not-crawl list`,
    { host, jobs: open },
  )
}

/** The host to erase, from a pattern in the syntax of the do-not-crawl list. */
export function erasedHost(pattern: string): ErasedHost {
  const list = new CrawlList({ deny: [pattern], allow: [] })
  const text = pattern.toLowerCase().replace(/^\*\./, '').replace(/:\d+$/, '').replace(/\.$/, '')
  return { text, fits: host => list.refusalOfHost(host) !== null }
}

class Round {
  readonly host: ErasedHost
  readonly notes: string[] = []
  readonly counts: ErasedCounts = {
    ...{ jobs: 0, tasks: 0, records: 0, pages: 0, files: 0, exports: 0 },
    ...{ robots: 0, hosts: 0, cookies: 0, webhooks: 0, rejected: 0, modelAnswers: 0 },
  }
  readonly #parts: ErasureParts
  readonly #dryRun: boolean

  constructor(parts: ErasureParts, { host, dryRun }: Erasure) {
    this.host = erasedHost(host)
    this.#parts = parts
    this.#dryRun = dryRun
  }

  /** Erases the data of one job. Files are deleted before the rows that refer to them. So after a crash the next run still finds
   *  the files. */
  async job(jobId: string): Promise<void> {
    const { store } = this.#parts
    const tasks = await Array.fromAsync(this.#tasks(jobId))
    if (tasks.length === 0) return
    this.counts.jobs += 1
    this.counts.tasks += tasks.length
    this.counts.records += tasks.reduce((sum, { records }) => sum + records, 0)
    await this.#objects(jobId, tasks)
    if (!this.#dryRun)
      for (let at = 0; at < tasks.length; at += pageSize)
        await store.erasure.blankTasks(
          jobId,
          tasks.slice(at, at + pageSize).map(({ n }) => n),
        )
    await this.#written(jobId)
  }

  async *#tasks(jobId: string): AsyncGenerator<{ n: number; itemId: string | null; records: number }> {
    const { erasure } = this.#parts.store
    for (let after: number | null = 0; after !== null; ) {
      const page = await erasure.tasksOf(jobId, this.host, { after, limit: pageSize })
      yield* page.tasks
      after = page.after
    }
  }

  async #objects(jobId: string, tasks: ReadonlyArray<{ n: number; itemId: string | null }>): Promise<void> {
    const { blobs } = this.#parts
    const folders = new Set(
      tasks.flatMap(task => [artifactFolder(jobId, task.n), itemFolder(jobId, itemIdOf(task))]),
    )
    const manifests = new Set(tasks.map(task => itemKeys(jobId, itemIdOf(task)).manifest))
    const gone: string[] = []
    for await (const { key } of blobs.list(jobPrefix(jobId)))
      if (manifests.has(key) || folders.has(key.slice(0, key.lastIndexOf('/')))) gone.push(key)
    this.counts.files += gone.length
    if (this.#dryRun) return
    for (let at = 0; at < gone.length; at += deletedAtOnce)
      await blobs.delete(gone.slice(at, at + deletedAtOnce))
    await blobs.delete([proposedRulesKey(jobId)])
  }

  /** Rewrites the files that are made from the job's tasks and records: manifests and outputs. */
  async #written(jobId: string): Promise<void> {
    const { store, blobs, files } = this.#parts
    const job = await store.jobs.get(jobId)
    if (!job) return
    const { files: rewritten, untouched } = await files.rewrite(job, { dryRun: this.#dryRun })
    this.counts.exports += rewritten
    for (const path of untouched)
      this.notes.push(
        `${path} was written for job ${jobId} outside of the data directory and was not changed; delete its data yourself`,
      )
    if (this.#dryRun) return
    await store.jobs.revise(jobId, withoutHost(job.spec, this.host))
    if (hasEnded(job.state)) await writeManifests({ store, blobs }, job)
  }

  /** Erases raw pages of the host. It checks the segments of all tasks, because a scraper may request several hosts. */
  async pages(): Promise<void> {
    const { blobs, now } = this.#parts
    for await (const { key } of blobs.list('jobs/')) {
      if (this.#isExported(key)) await this.#removeExported(key)
      if (!isWarcKey(key)) continue
      const erased = await erasePages(blobs, key, this.host.fits, { dryRun: this.#dryRun, now })
      this.counts.pages += erased.pages
      if (erased.unreadableFrom !== null)
        this.notes.push(
          `${key} cannot be read from byte ${erased.unreadableFrom} on; data that a killed process left there was not checked`,
        )
    }
  }

  /** Whether a Parquet file contains pages of the host. The file names have no port, so all ports of a host are erased together. */
  #isExported(key: string): boolean {
    const domain = domainOfRawPart(key)
    return domain !== null && (domain === this.host.text || this.host.fits(domain))
  }

  async #removeExported(key: string): Promise<void> {
    this.counts.exports += 1
    if (!this.#dryRun) await this.#parts.blobs.delete([key])
  }

  /** Erases data that belongs to no job, such as cookies and host state. */
  async beside(): Promise<void> {
    const { store, blobs, now } = this.#parts
    const dryRun = this.#dryRun
    this.counts.cookies += await this.#cookies()
    await this.#snapshots()
    Object.assign(this.counts, await store.erasure.forgetHost(this.host, { dryRun }))
    this.counts.modelAnswers += (await forgetModelAnswers(blobs, now + 1, { dryRun })).removed
    for await (const name of this.#schedules())
      this.notes.push(
        `schedule ${name} still names the host: delete it, or put the host on the do-not-crawl list`,
      )
  }

  /** Deletes the texts of earlier scrapes that `changeTracking` compares. */
  async #snapshots(): Promise<void> {
    const { blobs } = this.#parts
    const gone: string[] = []
    for await (const { key } of blobs.list(snapshotsPrefix))
      if (this.host.fits(hostOfSnapshot(key) ?? '')) gone.push(key)
    this.counts.files += gone.length
    if (this.#dryRun) return
    for (let at = 0; at < gone.length; at += deletedAtOnce)
      await blobs.delete(gone.slice(at, at + deletedAtOnce))
  }

  async #cookies(): Promise<number> {
    const { sessions } = this.#parts
    let removed = 0
    for (const { name, state } of await sessions.list()) {
      const left = withoutCookies(state, this.host)
      const gone = sizeOf(state) - sizeOf(left)
      if (gone === 0) continue
      removed += gone
      if (!this.#dryRun) await sessions.change(name, current => withoutCookies(current, this.host))
    }
    return removed
  }

  async *#schedules(): AsyncGenerator<string> {
    const { schedules } = this.#parts.store
    for await (const { id, job } of entriesById(pageSize, page => schedules.list(page)))
      if (namesHost(job, this.host)) yield id
  }
}

const sizeOf = ({ cookies, origins }: StorageState): number => cookies.length + origins.length

/** The session without cookies and storage of the host. A cookie belongs to the host of its domain, with or without a leading
 *  dot. */
const withoutCookies = ({ cookies, origins }: StorageState, { fits }: ErasedHost): StorageState => ({
  cookies: cookies.filter(({ domain }) => !fits(domain.replace(/^\./, ''))),
  origins: origins.filter(({ origin }) => !fits(URL.parse(origin)?.host ?? '')),
})

const isUrlOf = (text: string, { fits }: ErasedHost): boolean => {
  const host = /^https?:\/\//i.test(text) ? URL.parse(text)?.host : undefined
  return host !== undefined && fits(host)
}

function namesHost(value: unknown, host: ErasedHost): boolean {
  if (typeof value === 'string') return isUrlOf(value, host)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(each => namesHost(each, host))
}

/** The spec without URLs of the host in the job's source. The webhook URL stays. */
function withoutHost(spec: JobSpec, host: ErasedHost): JobSpec {
  const blanked = (value: unknown): unknown => {
    if (typeof value === 'string') return isUrlOf(value, host) ? erasedPlace.url : value
    if (Array.isArray(value)) return value.map(blanked)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, blanked(each)]))
  }
  const { webhookUrl } = spec
  return { ...(blanked(spec) as JobSpec), ...(webhookUrl !== undefined && { webhookUrl }) }
}
