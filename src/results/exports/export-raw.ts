// Exports the raw pages of a job as Parquet files `domain=…/date=YYYY-MM-DD/part-….parquet`, in rounds. Writing the
// state object commits a round. So a killed run continues without lost or duplicate rows, and a running job can be
// exported repeatedly.
import { asFailure, Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import type { BlobRef } from '../../model/page/page.ts'
import { isTerminal, type TaskState, taskStates } from '../../model/task.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { JobStore, TaskStore } from '../../ports/store.ts'
import { jobPrefix } from '../keys.ts'
import { readPages } from '../read-page.ts'
import { requireRawPages } from '../require-raw-pages.ts'
import { type RawPartLimits, RawParts } from './raw-parts.ts'
import {
  epochOf,
  isCommitted,
  isNewer,
  lastRound,
  listRuns,
  loadRawState,
  loadStateOf,
  newState,
  newWriter,
  partName,
  type RawState,
  type RawTarget,
  type Run,
  roundOf,
  runOf,
  saveRawState,
} from './raw-state.ts'
import type { ExportProgress, OnExportProgress } from './source.ts'

export interface RawExportParts {
  store: { tasks: TaskStore; jobs: Pick<JobStore, 'counts'> }
  blobs: Blobs
}

export interface RawExportOptions {
  /** True if the job has ended. Pages of failed and skipped tasks are then exported too, and the export is complete. */
  isOver: boolean
  /** True if other processes may write the same export. A lease ensures that only one process writes at a time. */
  isShared?: boolean
  signal?: AbortSignal
  onProgress?: OnExportProgress
  limits?: Partial<RawPartLimits & { roundBytes: number }>
}

/** The default location: beside the other results of the job. */
export const rawTargetOf = (blobs: Blobs, jobId: string): RawTarget => ({
  blobs,
  prefix: `${jobPrefix(jobId)}raw/`,
})

/** Size of a round in bytes. It limits the memory, and the work that is repeated after a kill. */
const roundBytes = 32 * 1024 * 1024
const batchTasks = 100
const leaseMs = 30_000
const renewMs = 10_000

/** Exports the stored pages of succeeded tasks. If the job has ended, exports the stored pages of all other tasks too.
 *  The column `status` distinguishes them. Returns the total size of the export. */
export async function exportRaw(
  parts: RawExportParts,
  job: Job,
  target: RawTarget,
  options: RawExportOptions,
): Promise<ExportProgress> {
  requireRawPages(job)
  const known = await loadRawState(target)
  if (known && options.isOver && (await isComplete(parts, job, known))) return progressOf(known)
  const run = new RawRun(parts, job, target, options)
  await run.claim()
  try {
    await run.begin()
    await run.write()
    return await run.end()
  } catch (error) {
    await run.fail(error)
    throw error
  }
}

class RawRun {
  readonly #parts: RawExportParts
  readonly #job: Job
  readonly #target: RawTarget
  readonly #options: RawExportOptions
  readonly #pages: RawParts
  #state: RawState
  /** Numbers of the tasks in this round. */
  #noted: number[] = []

  constructor(parts: RawExportParts, job: Job, target: RawTarget, options: RawExportOptions) {
    this.#parts = parts
    this.#job = job
    this.#target = target
    this.#options = options
    this.#pages = new RawParts(options.limits)
    this.#state = newState(job)
  }

  /** Takes the lease. Throws while another process has it. */
  async claim(): Promise<void> {
    this.#continue(await loadRawState(this.#target))
    const { lease } = this.#state
    if (this.#options.isShared && lease && lease.untilMs > Date.now()) throw this.#isTaken()
    this.#beginEpoch()
  }

  async begin(): Promise<void> {
    this.#reopen()
    await this.#save()
    const rival = (await listRuns(this.#target)).findLast(run => isNewer(this.#state, run))
    if (rival?.epoch === this.#state.epoch) await this.#follow(rival)
    await this.#dropOlder()
  }

  /** Continues the state of a rival run that began at the same moment. The rival stops when it sees this run.
   *  The rounds that the rival committed are kept. */
  async #follow(rival: Run): Promise<void> {
    this.#continue(await loadStateOf(this.#target, rival))
    this.#beginEpoch()
    this.#reopen()
    await this.#save()
  }

  #continue(known: RawState | null): void {
    const isSame = known?.jobId === this.#job.id && known.jobCreatedAt === this.#job.createdAt
    const epoch = Math.max(this.#state.epoch, known?.epoch ?? 0)
    this.#state = { ...(isSame ? known : newState(this.#job)), epoch }
  }

  #beginEpoch(): void {
    this.#state.epoch += 1
    this.#state.writer = newWriter(this.#state.epoch)
  }

  async write(): Promise<void> {
    await this.#exportTasks(['succeeded'], { isNoted: true })
    if (!this.#options.isOver) return
    const { rows, bytes } = this.#state
    this.#state.closing = { after: lastRound(this.#state), rows, bytes }
    await this.#exportTasks(unsuccessful, { isNoted: false })
    this.#state.completeFor = await completionOf(this.#parts, this.#job.id)
  }

  async end(): Promise<ExportProgress> {
    this.#state.trouble = null
    await this.#save(null)
    return progressOf(this.#state)
  }

  /** Stores the reason of the failure in the last committed state. If another run has taken over, only deletes the
   *  leftovers of this run. */
  async fail(error: unknown): Promise<void> {
    const stored = await loadRawState(this.#target).catch(() => null)
    if (!stored) return
    if (stored.writer !== this.#state.writer) return await this.#dropOwn(stored).catch(() => {})
    const trouble = this.#options.signal?.aborted ? null : asFailure(error).message
    await saveRawState(this.#target, { ...stored, lease: null, trouble }).catch(() => {})
  }

  /** Removes from the state the rounds of tasks that had not succeeded. These tasks may have been retried
   *  since, so their pages are written again. */
  #reopen(): void {
    const { closing, runs } = this.#state
    this.#state.completeFor = null
    if (closing === null) return
    const kept = runs.filter(({ from }) => from <= closing.after)
    this.#state.runs = kept.map(run => ({ ...run, to: Math.min(run.to, closing.after) }))
    this.#state.rows = closing.rows
    this.#state.bytes = closing.bytes
    this.#state.closing = null
  }

  /** Deletes states and uncommitted parts of older runs. Parts of the current epoch stay, because they may
   *  belong to another run that continues. */
  async #dropOlder(): Promise<void> {
    const { epoch } = this.#state
    await this.#drop(key => {
      const run = runOf(key)
      if (run) return isNewer(this.#state, run)
      const part = roundOf(key)
      return (!part || epochOf(part.writer) < epoch) && !isCommitted(this.#state, key)
    })
  }

  async #dropOwn(current: RawState): Promise<void> {
    const { writer } = this.#state
    await this.#drop(
      key => runOf(key)?.writer === writer || (roundOf(key)?.writer === writer && !isCommitted(current, key)),
    )
  }

  async #drop(isStale: (key: string) => boolean): Promise<void> {
    const { blobs, prefix } = this.#target
    const keys = (await Array.fromAsync(blobs.list(prefix))).map(({ key }) => key)
    const stale = keys.filter(isStale)
    if (stale.length > 0) await blobs.delete(stale)
  }

  async #exportTasks(states: TaskState[], { isNoted }: { isNoted: boolean }): Promise<void> {
    const { store, blobs } = this.#parts
    const { signal, limits } = this.#options
    for (let after = isNoted ? this.#state.tasks.completeTo : 0; ; ) {
      const batch = await store.tasks.list(this.#job.id, { states, after, limit: batchTasks })
      if (batch.length === 0) break
      after = batch.at(-1)!.n
      const numbers = batch.map(({ n }) => n).filter(n => !isNoted || !this.#state.tasks.has(n))
      if (numbers.length === 0) continue
      for await (const page of readPages(blobs, await this.#refsOf(numbers))) await this.#pages.add(page)
      signal?.throwIfAborted()
      if (isNoted) this.#noted.push(...numbers)
      if (this.#pages.bytes >= (limits?.roundBytes ?? roundBytes)) await this.#commit()
      else await this.#renewLease()
    }
    await this.#commit()
  }

  /** References to the pages of these tasks. For each task, this is the page of the last attempt that stored one. */
  async #refsOf(numbers: number[]): Promise<BlobRef[]> {
    const attempts = await this.#parts.store.tasks.attemptsOf(this.#job.id, numbers)
    const refs = numbers.map(n => attempts.get(n)?.findLast(({ raw }) => raw !== null)?.raw ?? null)
    return refs.filter(ref => ref !== null)
  }

  // Writes the parts first, then the state that names their round. Parts that no state names are deleted and written
  // again.
  async #commit(): Promise<void> {
    const parts = await this.#pages.take()
    if (parts.length === 0 && this.#noted.length === 0) return
    const { blobs, prefix } = this.#target
    const round = lastRound(this.#state) + 1
    for (const { partition, bytes, rows } of parts) {
      await blobs.put(`${prefix}${partition}/${partName(round, this.#state.writer)}`, bytes)
      this.#state.rows += rows
      this.#state.bytes += bytes.length
    }
    if (parts.length > 0) this.#noteRound(round)
    for (const n of this.#noted.splice(0)) this.#state.tasks.add(n)
    await this.#save()
    this.#options.onProgress?.(progressOf(this.#state))
  }

  #noteRound(round: number): void {
    const { runs, writer } = this.#state
    const last = runs.at(-1)
    if (last?.writer === writer) last.to = round
    else runs.push({ writer, from: round, to: round })
  }

  async #renewLease(): Promise<void> {
    const { lease } = this.#state
    if (this.#options.isShared && lease && lease.untilMs - Date.now() < leaseMs - renewMs) await this.#save()
  }

  // Checks for a newer run before and after the write. So if two runs begin together, one of them stops before it
  // writes its first part.
  async #save(lease: RawState['lease'] = this.#newLease()): Promise<void> {
    await this.#stopIfReplaced()
    this.#state.lease = lease
    this.#state.updatedAt = Date.now()
    await saveRawState(this.#target, this.#state)
    await this.#stopIfReplaced()
  }

  async #stopIfReplaced(): Promise<void> {
    const newest = (await listRuns(this.#target)).at(-1)
    if (!newest || !isNewer(newest, this.#state)) return
    throw this.#isTaken()
  }

  #newLease(): RawState['lease'] {
    const { writer } = this.#state
    return this.#options.isShared ? { writer, untilMs: Date.now() + leaseMs } : null
  }

  #isTaken(): Failure {
    const { id } = this.#job
    const message = `another process writes the raw export of job ${id}; retry in ${leaseMs / 1_000} s`
    return new Failure('storage.failed', message, { jobId: id, retryAfterMs: leaseMs })
  }
}

const progressOf = ({ rows, bytes }: RawState): ExportProgress => ({ rows, bytes })

const unsuccessful = taskStates.filter(state => isTerminal(state) && state !== 'succeeded')

/** The result changes if a task of the job runs again. */
async function completionOf({ store }: RawExportParts, jobId: string): Promise<string> {
  const { byState, pages, bytes } = await store.jobs.counts(jobId)
  return JSON.stringify([byState, pages, bytes])
}

/** Whether the export contains every page of the ended job. */
export const isComplete = async (parts: RawExportParts, job: Job, state: RawState | null): Promise<boolean> =>
  state !== null &&
  state.jobCreatedAt === job.createdAt &&
  state.completeFor !== null &&
  state.completeFor === (await completionOf(parts, job.id))
