// Mirrors job items to another system. The store records each change in its own transaction; sent changes are deleted.
import { asFailure, type Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import type { Attempt, Task } from '../../../model/task.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ItemMirror, MirroredItem, MirroredJob } from '../../../ports/item-mirror.ts'
import type { ItemChange } from '../../../ports/service-stores.ts'
import type { Store } from '../../../ports/store.ts'
import { itemIdOf, itemKeys } from '../../../results/keys.ts'

export interface MirrorParts {
  store: Store
  mirror: ItemMirror
  clock: Clock
  random: () => number
  /** The public key of the object in the bucket. */
  publicKey: (key: string) => string
  mark: (point: string) => void
  tell: (event: { is: 'sent'; items: number } | { is: 'trouble'; failure: Failure; waitMs: number }) => void
}

const atOnce = 200
const lookEveryMs = 500
const firstWaitMs = 500
const longestWaitMs = 60_000

/** Mirrors changes until the signal aborts. If the mirror is down, the changes wait in the store. */
export async function mirrorItems(parts: MirrorParts, signal: AbortSignal): Promise<void> {
  const { clock, store, random, tell } = parts
  for (let troubles = 0, isFollowed = false; !signal.aborted; )
    try {
      if (!isFollowed) await store.itemChanges.follow()
      isFollowed = true
      const sent = await mirrorOnce(parts, signal)
      troubles = 0
      if (sent === 0) await clock.sleep(lookEveryMs, signal).catch(() => {})
    } catch (error) {
      if (signal.aborted) return
      const waitMs =
        Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(troubles++, 10)) * (0.5 + random() / 2)
      tell({ is: 'trouble', failure: asFailure(error), waitMs })
      await clock.sleep(waitMs, signal).catch(() => {})
    }
}

/** Sends a batch, and returns the number of changes. */
async function mirrorOnce(parts: MirrorParts, signal: AbortSignal): Promise<number> {
  const { store, mirror, mark, tell } = parts
  const changes = await store.itemChanges.next(atOnce)
  if (changes.length === 0) return 0
  const items: MirroredItem[] = []
  const jobs: MirroredJob[] = []
  for (const [jobId, own] of Map.groupBy(changes, change => change.jobId)) {
    const job = await store.jobs.get(jobId)
    // The job was deleted. Its items stay in the mirror.
    if (!job) continue
    items.push(...(await itemsOf(parts, job, own)))
    jobs.push({ job, version: newest(own), counts: await store.jobs.counts(jobId) })
  }
  await mirror.send(items, jobs, signal)
  mark('mirror.after_send_before_forget')
  await store.itemChanges.forget(changes)
  tell({ is: 'sent', items: items.length })
  return changes.length
}

const newest = (changes: readonly ItemChange[]): number => Math.max(...changes.map(({ version }) => version))

/** The current items of these changes. An item with several changes is sent once. Changes of the job itself have no item. */
async function itemsOf(
  { store, publicKey }: MirrorParts,
  job: Job,
  changes: ItemChange[],
): Promise<MirroredItem[]> {
  const byItem = Map.groupBy(
    changes.filter(({ n }) => n > 0),
    ({ n }) => n,
  )
  const histories = await store.tasks.attemptsOf(job.id, [...byItem.keys()])
  const items: MirroredItem[] = []
  for (const [n, own] of byItem) {
    const task = await store.tasks.get(job.id, n)
    if (task?.kind !== 'page') continue
    const attempts = histories.get(n) ?? []
    items.push({
      version: newest(own),
      job,
      task,
      attempts,
      storageKeys: storageKeysOf(job, task, attempts, publicKey),
    })
  }
  return items
}

function storageKeysOf(
  job: Job,
  task: Task,
  attempts: readonly Attempt[],
  publicKey: (key: string) => string,
): Record<string, string> {
  const last = attempts.at(-1)
  if (!last) return {}
  const raw = attempts.findLast(attempt => attempt.raw !== null)?.raw
  const { data, metadata, manifest } = itemKeys(job.id, itemIdOf(task))
  const keys = {
    ...(raw && { html: raw.key }),
    ...(job.spec.results.layout === 'items' && { data, metadata, manifest }),
    ...Object.fromEntries(last.artifacts.map(({ name, key }) => [name, key])),
  }
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, publicKey(key)]))
}
