// Manifests of a finished job: lists of items in parts of a thousand, and a summary.

import { triedPages } from '../lib/list-pages.ts'
import { chosenId, taskId } from '../model/ids.ts'
import type { Job, JobCounts } from '../model/job.ts'
import type { Attempt, Task } from '../model/task.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Store } from '../ports/store.ts'
import { publicKey } from './items.ts'
import { itemIdOf, itemKeys, jobMetadataKey, type ManifestKind, manifestKinds, manifestPart } from './keys.ts'
import { storedJson } from './stored-json.ts'

const partItems = 1_000
/** Number of tasks that are in memory at once. */
const tasksAtOnce = 100

interface ManifestParts {
  store: Pick<Store, 'tasks' | 'jobs'>
  blobs: Blobs
}

/** Writes `manifests/{full,success,errors}/part-N.json` and, last, `job_metadata.json`. Idempotent, because a
 *  coordinator repeats it after an interruption. `job.state` is the final state. */
export async function writeManifests({ store, blobs }: ManifestParts, job: Job): Promise<JobMetadata> {
  const writers = Object.fromEntries(
    manifestKinds.map(kind => [kind, new PartWriter(blobs, job.id, kind)]),
  ) as Record<ManifestKind, PartWriter>
  const span = new Span()
  for await (const tried of triedPages(store.tasks, job.id, { limit: tasksAtOnce }))
    for (const { task, attempts } of tried) {
      if (task.kind !== 'page') continue
      span.include(attempts)
      const entry = JSON.stringify(entryOf(blobs, job, task, attempts))
      for (const kind of kindsOf(task)) await writers[kind].add(entry)
    }
  const before = await readMetadata(blobs, job.id)
  await Promise.all(manifestKinds.map(kind => writers[kind].finish(before?.parts[kind] ?? 0)))
  const metadata = metadataOf(job, await store.jobs.counts(job.id), writers, span)
  await blobs.put(jobMetadataKey(job.id), Buffer.from(`${JSON.stringify(metadata, null, 2)}\n`))
  return metadata
}

/** The summary that was written when the job last ended. Null if the job has never ended. */
export async function readMetadata(blobs: Blobs, jobId: string): Promise<JobMetadata | null> {
  const key = jobMetadataKey(jobId)
  const kept = await blobs.get(key)
  return kept && storedJson<JobMetadata>(kept, key)
}

function kindsOf(task: Task): ManifestKind[] {
  if (task.state === 'succeeded') return ['full', 'success']
  return task.state === 'failed' ? ['full', 'errors'] : ['full']
}

function entryOf(blobs: Blobs, job: Job, task: Task, attempts: Attempt[]) {
  const last = attempts.at(-1)
  const raw = attempts.findLast(attempt => attempt.raw !== null)?.raw ?? null
  return {
    item_id: itemIdOf(task),
    task_id: taskId(task.jobId, task.n),
    url: task.url,
    state: task.state,
    reason: task.reason,
    message: task.message,
    http_status: last?.status ?? null,
    attempts: attempts.length,
    first_attempt_at: isoOrNull(attempts[0]?.startedAt),
    last_attempt_at: isoOrNull(last?.endedAt),
    raw: raw && { ...raw, key: publicKey(blobs, raw.key) },
    ...(hasItemFiles(job, last) ? { files: filesOf(blobs, job, task) } : {}),
  }
}

const hasItemFiles = (job: Job, last: Attempt | undefined): boolean =>
  job.spec.results.layout === 'items' && last !== undefined

function filesOf(blobs: Blobs, job: Job, task: Task) {
  const { data, metadata, manifest } = itemKeys(job.id, itemIdOf(task))
  return {
    data: publicKey(blobs, data),
    metadata: publicKey(blobs, metadata),
    manifest: publicKey(blobs, manifest),
  }
}

/** Collects entries and writes a part when it is full. */
class PartWriter {
  readonly #blobs: Blobs
  readonly #jobId: string
  readonly #kind: ManifestKind
  #entries: string[] = []
  items = 0
  parts = 0

  constructor(blobs: Blobs, jobId: string, kind: ManifestKind) {
    this.#blobs = blobs
    this.#jobId = jobId
    this.#kind = kind
  }

  async add(entry: string): Promise<void> {
    this.items++
    if (this.#entries.push(entry) === partItems) await this.#put()
  }

  /** Writes the last part and deletes stale parts. After `jobs retry` there may be fewer errors, and so fewer parts
   *  than before. */
  async finish(partsBefore: number): Promise<void> {
    if (this.#entries.length > 0) await this.#put()
    const stale: string[] = []
    for (let part = this.parts + 1; part <= partsBefore; part++)
      stale.push(manifestPart(this.#jobId, this.#kind, part))
    if (stale.length > 0) await this.#blobs.delete(stale)
  }

  async #put(): Promise<void> {
    const key = manifestPart(this.#jobId, this.#kind, ++this.parts)
    await this.#blobs.put(key, Buffer.from(`[\n${this.#entries.join(',\n')}\n]\n`))
    this.#entries = []
  }
}

/** The time from the start of the first attempt to the end of the last one. */
class Span {
  first: number | null = null
  last: number | null = null

  include(attempts: Attempt[]): void {
    for (const { startedAt, endedAt } of attempts) {
      this.first = Math.min(this.first ?? startedAt, startedAt)
      this.last = Math.max(this.last ?? endedAt, endedAt)
    }
  }
}

function metadataOf(job: Job, counts: JobCounts, writers: Record<ManifestKind, PartWriter>, span: Span) {
  return {
    job_id: chosenId(job.id),
    state: job.state,
    kind: job.kind,
    scraper_id: job.spec.scraperId,
    layout: job.spec.results.layout,
    created_at: new Date(job.createdAt).toISOString(),
    first_attempt_at: isoOrNull(span.first),
    last_attempt_at: isoOrNull(span.last),
    duration_seconds: span.first === null || span.last === null ? null : (span.last - span.first) / 1_000,
    items: { total: writers.full.items, success: writers.success.items, errors: writers.errors.items },
    parts: { full: writers.full.parts, success: writers.success.parts, errors: writers.errors.parts },
    items_per_part: partItems,
    records: counts.records,
    bytes: counts.bytes,
    by_state: counts.byState,
    by_reason: counts.byReason,
  }
}
export type JobMetadata = ReturnType<typeof metadataOf>

const isoOrNull = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()
