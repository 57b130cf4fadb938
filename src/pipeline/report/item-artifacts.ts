// Reads the artifacts of one task: page, records, metadata, and files that a browser made. Supports both storage layouts:
// segments, and a folder per item.
import { textKey } from '../../frontier/canonical-url.ts'
import { chosenId, parseTaskId, taskId } from '../../model/ids.ts'
import type { Job } from '../../model/job.ts'
import type { Page } from '../../model/page/page.ts'
import type { Attempt, Task } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { itemIdOf } from '../../results/keys.ts'
import { readPage, readRun } from '../../results/read-page.ts'
import type { WarcExchange } from '../../results/warc-exchanges.ts'

interface ItemParts {
  store: Store
  blobs: Blobs
}

interface ReadArtifact {
  fileName: string
  type: string
  bytes: Buffer
}

/** Finds a task by the caller's id, by `task-N`, or by its task id. */
export async function findItem(
  { store }: Pick<ItemParts, 'store'>,
  jobId: string,
  itemId: string,
): Promise<Task | null> {
  const named = await store.tasks.find(jobId, textKey(itemId))
  if (named?.itemId === itemId) return named
  const told = parseTaskId(itemId)
  if (told?.jobId === chosenId(jobId)) return store.tasks.get(jobId, told.n)
  const n = Number(/^task-(\d{1,15})$/.exec(itemId)?.[1] ?? 0)
  const numbered = n > 0 ? await store.tasks.get(jobId, n) : null
  return numbered?.itemId === null ? numbered : null
}

/** The artifacts of a task, by the names that `readArtifact` takes. */
export function artifactNames(attempts: readonly Attempt[]): string[] {
  const page = attempts.some(({ raw }) => raw !== null) ? ['html'] : []
  const files = attempts.at(-1)?.artifacts.map(({ name }) => name) ?? []
  return [...new Set([...page, 'data', 'metadata', ...files])]
}

const linkForMs = 300_000

/** A signed URL of a stored file. Null if there is no such file, or if the blob store has no signed URLs. */
export async function linkToArtifact(
  { store, blobs }: ItemParts,
  task: Task,
  name: string,
): Promise<string | null> {
  const attempts = await store.tasks.attempts(task.jobId, task.n)
  const kept = attempts.flatMap(({ artifacts }) => artifacts).findLast(one => one.name === name)
  if (!kept) return null
  const fileName = kept.key.slice(kept.key.lastIndexOf('/') + 1)
  return blobs.signedGet(kept.key, { expiresInMs: linkForMs, fileName, type: kept.type })
}

/** Reads an artifact of a task. Null if there is no artifact with that name. */
export async function readArtifact(
  parts: ItemParts,
  job: Job,
  task: Task,
  name: string,
): Promise<ReadArtifact | null> {
  const attempts = await parts.store.tasks.attempts(job.id, task.n)
  const file = attempts.findLast(attempt => attempt.artifacts.some(one => one.name === name))
  const kept = file?.artifacts.find(one => one.name === name)
  if (kept) return filed(kept, await parts.blobs.get(kept.key))
  if (name === 'html') return pageOf(parts, attempts)
  if (name === 'data') return jsonFile('data.json', await dataOf(parts, task))
  return name === 'metadata' ? jsonFile('metadata.json', metadataOf(task, attempts)) : null
}

const filed = (
  { fileName, type }: { fileName: string; type: string },
  bytes: Buffer | null,
): ReadArtifact | null => bytes && { fileName, type, bytes }

async function pageOf({ blobs }: ItemParts, attempts: readonly Attempt[]): Promise<ReadArtifact | null> {
  const page = await lastPage(blobs, attempts)
  return page && { fileName: 'html.html', type: 'text/html', bytes: page.body }
}

/** The last stored page of a task. Null if no page is stored. */
export async function readTaskPage({ store, blobs }: ItemParts, { jobId, n }: Task): Promise<Page | null> {
  return lastPage(blobs, await store.tasks.attempts(jobId, n))
}

/** All stored exchanges of a task; null if there are none. */
export async function readTaskRun(
  { store, blobs }: ItemParts,
  { jobId, n }: Task,
): Promise<WarcExchange[] | null> {
  const attempts = await store.tasks.attempts(jobId, n)
  const raw = attempts.findLast(attempt => attempt.raw !== null)?.raw
  return raw ? readRun(blobs, raw) : null
}

/** The last stored page of these attempts. Null if none is stored. */
export async function lastPage(blobs: Blobs, attempts: readonly Attempt[]): Promise<Page | null> {
  const raw = attempts.findLast(attempt => attempt.raw !== null)?.raw
  return raw ? readPage(blobs, raw) : null
}

async function dataOf({ store }: ItemParts, task: Task): Promise<unknown> {
  const records = await store.records.ofTask(task.jobId, task.n)
  return records.map(record => JSON.parse(record.data))
}

const metadataOf = (task: Task, attempts: readonly Attempt[]) => ({
  job_id: chosenId(task.jobId),
  item_id: itemIdOf(task),
  task_id: taskId(task.jobId, task.n),
  url: task.url,
  state: task.state,
  reason: task.reason,
  message: task.message,
  attempts: attempts.map(attempt => ({
    attempt: attempt.attempt,
    started_at: new Date(attempt.startedAt).toISOString(),
    ended_at: new Date(attempt.endedAt).toISOString(),
    outcome: attempt.outcome,
    message: attempt.message,
    http_status: attempt.status,
    bytes: attempt.bytes,
    way: attempt.way,
  })),
})

const jsonFile = (fileName: string, value: unknown): ReadArtifact => ({
  fileName,
  type: 'application/json',
  bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
})
