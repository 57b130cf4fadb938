// Deletes expired data of each kind, and orphans. It may run while jobs run, because it deletes only data of ended
// jobs, and no orphans that are recent.
import { forgetModelAnswers } from '../extract/llm/model.ts'
import { entriesById, listEntries } from '../lib/list-pages.ts'
import { hasEnded } from '../model/job.ts'
import { type Freed, type FreedByKind, nothingFreed } from '../model/policy/retention.ts'
import { readerOf } from '../pipeline/submit/uploads.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { EndedJob, Extent } from '../ports/retention.ts'
import type { Store } from '../ports/store.ts'
import { diagnosticsPrefix, isRawExport, jobOfKey, kindOfKept } from '../results/keys.ts'
import { expiredSegments, type Segment } from '../results/retention.ts'

/** How long each kind of data is stored, in milliseconds; 0 means forever. */
export interface RetentionRules {
  rawMs: number
  /** If raw pages and artifacts are larger in total, the oldest are deleted, whatever their age. 0 means no limit. */
  rawMaxBytes: number
  artifactsMs: number
  recordsMs: number
  exportsMs: number
  webhooksMs: number
  uploadsMs: number
  answersMs: number
  jobsMs: number
}

/** Local files of jobs: outputs and copies of inputs. */
export interface JobFiles {
  list(): AsyncIterable<{ jobId: string; bytes: number; modifiedAt: number }>
  remove(jobId: string): Promise<void>
  /** Deletes temporary files that a killed process left before this time. */
  dropLeftovers(before: number, dryRun: boolean): Promise<Freed>
}

interface RetentionParts {
  store: Store
  blobs: Blobs
  files: JobFiles
  now: number
  /** Deletes a job with all its data. */
  deleteJob: (jobId: string) => Promise<void>
}

/** Only objects older than this count as orphans. A new object may be one to which the store does not refer yet. */
const safeAgeMs = 86_400_000
const pageSize = 1_000
const deletedAtOnce = 1_000

export async function applyRetention(
  parts: RetentionParts,
  rules: RetentionRules,
  { dryRun = false, signal }: { dryRun?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<FreedByKind> {
  const round = new Round(parts, rules, dryRun, signal)
  await round.run()
  return round.freed
}

class Round {
  readonly freed = nothingFreed()
  readonly #parts: RetentionParts
  readonly #rules: RetentionRules
  readonly #dryRun: boolean
  /** Cached lookups. Null means that the job has not ended, undefined that it does not exist. */
  readonly #jobs = new Map<string, EndedJob | null | undefined>()
  readonly #expired = new Set<string>()

  /** When the signal is aborted, only the current step completes. The next run does the rest. */
  readonly #signal: AbortSignal | undefined

  constructor(parts: RetentionParts, rules: RetentionRules, dryRun: boolean, signal?: AbortSignal) {
    this.#parts = parts
    this.#rules = rules
    this.#dryRun = dryRun
    this.#signal = signal
  }

  async run(): Promise<void> {
    const ended = await Array.fromAsync(this.#ended())
    for (const job of ended) this.#jobs.set(job.id, job)
    for (const job of ended) if (await this.#isOver(job)) this.#expired.add(job.id)
    const steps = [
      () => this.#objects(),
      () => this.#files(),
      ...ended.filter(({ id }) => !this.#expired.has(id)).map(job => () => this.#rowsOf(job)),
      ...[...this.#expired].map(jobId => () => this.#removeJob(jobId)),
      () => this.#webhooks(),
      () => this.#uploads(),
      () => this.#answers(),
    ]
    for (const step of steps) if (!this.#signal?.aborted) await step()
  }

  async #answers(): Promise<void> {
    const { blobs, store, now } = this.#parts
    const { answersMs } = this.#rules
    if (answersMs === 0) return
    this.#count('answers', await store.retention.forgetAnswers(now - answersMs, { dryRun: this.#dryRun }), 0)
    const model = await forgetModelAnswers(blobs, now - answersMs, { dryRun: this.#dryRun })
    this.#count('answers', model.removed, model.bytes)
  }

  #ended(): AsyncGenerator<EndedJob> {
    const { retention } = this.#parts.store
    return listEntries({
      read: range => retention.ended(range),
      placeOf: ({ place }) => place,
      limit: pageSize,
    })
  }

  /** Whether the job itself has expired. The last two runs of a schedule never expire, because the next run is compared with them. */
  async #isOver({ id, finishedAt, scheduleId, retention }: EndedJob): Promise<boolean> {
    const { now, store } = this.#parts
    if (!isPast(finishedAt, retention?.jobMs ?? this.#rules.jobsMs, now)) return false
    if (scheduleId === null || !(await store.schedules.get(scheduleId))) return true
    const latest = await store.jobs.list({ scheduleId, limit: 2 })
    return !latest.some(job => job.id === id)
  }

  /** Deletes expired objects of jobs in the blob store, in one pass over all objects. */
  async #objects(): Promise<void> {
    const { blobs, now } = this.#parts
    const segments: Array<Segment & { kind: 'raw' | 'artifacts' }> = []
    const orphans = new Batch(keys => this.#delete(keys))
    for await (const object of blobs.list('jobs/')) {
      const jobId = jobOfKey(object.key)
      const job = jobId === null ? undefined : await this.#job(jobId)
      const kind = kindOfKept(object.key)
      if (job === undefined) await this.#orphan(object, orphans)
      else if (job !== null && this.#expired.has(job.id)) this.#count('jobs', 0, object.bytes)
      else if (isRawExport(object.key)) await this.#rawExport(object, job, orphans)
      else if (kind !== null)
        segments.push({ ...object, kind, inUse: job === null, maxAgeMs: this.#ageOf(kind, job) })
    }
    for (const prefix of [diagnosticsPrefix, 'uploads/'])
      for await (const object of blobs.list(prefix))
        if (await this.#isNobodys(object.key)) await this.#orphan(object, orphans)
    await orphans.finish()
    const bounds = { maxAgeMs: this.#rules.rawMs, maxBytes: this.#rules.rawMaxBytes }
    const expired = await this.#stillOver(expiredSegments(segments, bounds, now) as typeof segments)
    for (const { kind, bytes } of expired) this.#count(kind, 1, bytes)
    const batch = new Batch(keys => this.#delete(keys))
    for (const { key } of expired) await batch.add(key)
    await batch.finish()
  }

  /** Returns only the objects of jobs that are still ended. A job that was resumed since the check keeps its data. */
  async #stillOver<Each extends { key: string }>(objects: Each[]): Promise<Each[]> {
    const byJob = Map.groupBy(objects, ({ key }) => jobOfKey(key)!)
    const left: Each[] = []
    for (const [jobId, own] of byJob) {
      const job = await this.#parts.store.jobs.get(jobId)
      if (job && hasEnded(job.state)) left.push(...own)
    }
    return left
  }

  async #rawExport({ key, bytes }: Kept, job: EndedJob | null, batch: Batch): Promise<void> {
    const keptMs = job?.retention?.exportsMs ?? this.#rules.exportsMs
    if (job === null || !isPast(job.finishedAt, keptMs, this.#parts.now)) return
    this.#count('exports', 1, bytes)
    await batch.add(key)
  }

  async #orphan({ key, bytes, modifiedAt }: Kept, batch: Batch): Promise<void> {
    if (modifiedAt >= this.#parts.now - safeAgeMs) return
    this.#count('orphans', 1, bytes)
    await batch.add(key)
  }

  async #isNobodys(key: string): Promise<boolean> {
    if (key.startsWith(diagnosticsPrefix)) return true
    return (await this.#parts.store.uploads.get(key.split('/')[1] ?? '')) === null
  }

  #ageOf(kind: 'raw' | 'artifacts', job: EndedJob | null): number {
    const own = kind === 'raw' ? job?.retention?.rawMs : job?.retention?.artifactsMs
    return own ?? (kind === 'raw' ? this.#rules.rawMs : this.#rules.artifactsMs)
  }

  async #job(jobId: string): Promise<EndedJob | null | undefined> {
    if (this.#jobs.has(jobId)) return this.#jobs.get(jobId)
    const isThere = (await this.#parts.store.jobs.get(jobId)) !== null
    this.#jobs.set(jobId, isThere ? null : undefined)
    return isThere ? null : undefined
  }

  /** Deletes expired output files of a service. */
  async #files(): Promise<void> {
    const { files, now } = this.#parts
    for await (const { jobId, bytes, modifiedAt } of files.list()) {
      const job = await this.#job(jobId)
      if (job === null || (job && this.#expired.has(job.id))) continue
      const keptMs = job?.retention?.exportsMs ?? this.#rules.exportsMs
      const isOver = job ? isPast(job.finishedAt, keptMs, now) : modifiedAt < now - safeAgeMs
      if (!isOver) continue
      this.#count(job ? 'exports' : 'orphans', 1, bytes)
      if (!this.#dryRun) await files.remove(jobId)
    }
    const left = await files.dropLeftovers(now - safeAgeMs, this.#dryRun)
    this.#count('orphans', left.removed, left.bytes)
  }

  async #rowsOf({ id, finishedAt, retention }: EndedJob): Promise<void> {
    const { now, store } = this.#parts
    if (isPast(finishedAt, retention?.recordsMs ?? this.#rules.recordsMs, now))
      this.#count('records', await this.#forgetRecords(id), 0)
    const { webhooksMs } = retention ?? {}
    if (webhooksMs !== undefined && webhooksMs > 0)
      this.#count('webhooks', await this.#forgetWebhooks(store, now - webhooksMs, id), 0)
  }

  async #forgetRecords(jobId: string): Promise<number> {
    return this.#all(extent => this.#parts.store.retention.forgetRecords(jobId, extent))
  }

  async #forgetWebhooks({ retention }: Store, before: number, jobId?: string): Promise<number> {
    return this.#all(extent => retention.forgetWebhooks(before, extent, jobId))
  }

  #all(forget: (extent: Extent) => Promise<number>): Promise<number> {
    const dryRun = this.#dryRun
    return dryRun ? forget({ limit: pageSize, dryRun }) : repeated(() => forget({ limit: pageSize }))
  }

  async #webhooks(): Promise<void> {
    const { webhooksMs } = this.#rules
    if (webhooksMs === 0) return
    const { store, now } = this.#parts
    this.#count('webhooks', await this.#forgetWebhooks(store, now - webhooksMs), 0)
  }

  async #removeJob(jobId: string): Promise<void> {
    this.#count('jobs', 1, 0)
    if (!this.#dryRun) await this.#parts.deleteJob(jobId)
  }

  /** Deletes expired uploads. Uploads that a job or a schedule still needs stay. */
  async #uploads(): Promise<void> {
    const { store, blobs, now } = this.#parts
    const { uploadsMs } = this.#rules
    if (uploadsMs === 0) return
    const scheduled = await uploadsOfSchedules(store)
    for await (const upload of entriesById(pageSize, page => store.uploads.list(page))) {
      if (upload.completedAt === null || !isPast(upload.completedAt, uploadsMs, now)) continue
      if (scheduled.has(upload.id) || (await readerOf({ store }, upload))) continue
      this.#count('uploads', 1, upload.bytes)
      if (this.#dryRun) continue
      await store.uploads.delete(upload.id)
      await blobs.delete([upload.blobKey])
    }
  }

  #count(kind: keyof FreedByKind, removed: number, bytes: number): void {
    const freed = this.freed[kind]
    freed.removed += removed
    freed.bytes += bytes
  }

  async #delete(keys: string[]): Promise<void> {
    if (!this.#dryRun) await this.#parts.blobs.delete(keys)
  }
}

interface Kept {
  key: string
  bytes: number
  modifiedAt: number
}

const isPast = (since: number, keptMs: number, now: number): boolean => keptMs > 0 && since < now - keptMs

/** Repeats a step until it returns 0. Returns the total. */
async function repeated(step: () => Promise<number>): Promise<number> {
  let total = 0
  for (;;) {
    const done = await step()
    total += done
    if (done < pageSize) return total
  }
}

async function uploadsOfSchedules(store: Store): Promise<Set<string>> {
  const schedules = entriesById(pageSize, page => store.schedules.list(page))
  const named = await Array.fromAsync(schedules, ({ job }) => (job as { uploadId?: string }).uploadId)
  return new Set(named.filter(id => id !== undefined))
}

/** Collects keys, to delete many of them in one call. */
class Batch {
  readonly #delete: (keys: string[]) => Promise<void>
  #keys: string[] = []

  constructor(remove: (keys: string[]) => Promise<void>) {
    this.#delete = remove
  }

  async add(key: string): Promise<void> {
    this.#keys.push(key)
    if (this.#keys.length >= deletedAtOnce) await this.finish()
  }

  async finish(): Promise<void> {
    if (this.#keys.length > 0) await this.#delete(this.#keys.splice(0))
  }
}
