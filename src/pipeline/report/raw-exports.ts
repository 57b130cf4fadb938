// Exports of raw pages that callers request. The request returns at once; the files are written to the service's storage in the
// background.
import type { rawExportStates } from '../../model/api/job-reports.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { hasEnded, type Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Store } from '../../ports/store.ts'
import { exportRaw, isComplete, rawTargetOf } from '../../results/exports/export-raw.ts'
import { committedParts, isCommitted, loadRawState, type RawState } from '../../results/exports/raw-state.ts'
import { requireRawPages } from '../../results/require-raw-pages.ts'

type RawExportStateName = (typeof rawExportStates)[number]

export interface RawExportReport {
  state: RawExportStateName
  rows: number
  bytes: number
  updatedAt: number | null
  trouble: string | null
  /** Key prefix of the files in the bucket. */
  prefix: string
}

interface RawFile {
  path: string
  bytes: number
}

export class RawExports implements AsyncDisposable {
  readonly #parts: { store: Store; blobs: Blobs }
  readonly #stop = new AbortController()
  readonly #running = new Map<string, Promise<void>>()

  constructor(parts: { store: Store; blobs: Blobs }) {
    this.#parts = parts
  }

  /** Starts or continues the export, unless it is complete or another process writes it. */
  async start(job: Job): Promise<RawExportReport> {
    requireRawPages(job)
    const report = await this.report(job)
    if (this.#running.has(job.id) || isWrittenByJob(job) || !canStart.has(report.state)) return report
    const work = this.#export(job).finally(() => this.#running.delete(job.id))
    this.#running.set(job.id, work)
    return { ...report, state: 'running', trouble: null }
  }

  async report(job: Job): Promise<RawExportReport> {
    const { blobs } = this.#parts
    const target = rawTargetOf(blobs, job.id)
    const loaded = await loadRawState(target)
    const state = loaded?.jobCreatedAt === job.createdAt ? loaded : null
    return {
      state: await this.#stateOf(job, state),
      rows: state?.rows ?? 0,
      bytes: state?.bytes ?? 0,
      updatedAt: state?.updatedAt ?? null,
      trouble: state?.trouble ?? null,
      prefix: blobs.publicKey?.(target.prefix) ?? target.prefix,
    }
  }

  /** The files of the export, sorted by path. */
  async files(job: Job, { after, limit }: { after: string; limit: number }): Promise<RawFile[]> {
    const target = rawTargetOf(this.#parts.blobs, job.id)
    const state = await loadRawState(target)
    const files: RawFile[] = []
    if (state === null) return files
    for await (const file of committedParts(target, state)) {
      if (file.path <= after) continue
      files.push(file)
      if (files.length === limit) break
    }
    return files
  }

  /** Opens a file of the export. Throws `artifact.unknown` if the export has no such file. */
  async open(job: Job, path: string): Promise<{ bytes: number; chunks: AsyncIterable<Buffer> }> {
    const { blobs } = this.#parts
    const target = rawTargetOf(blobs, job.id)
    const key = `${target.prefix}${path}`
    const state = await loadRawState(target)
    const size = state && isCommitted(state, key) ? await blobs.size(key) : null
    if (size === null)
      throw new Failure('artifact.unknown', `the raw export of job ${job.id} has no file ${path}`, {
        jobId: job.id,
      })
    return { bytes: size, chunks: blobs.openRead(key) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running.values())
  }

  async #stateOf(job: Job, state: RawState | null): Promise<RawExportStateName> {
    if (this.#running.has(job.id) || isLeased(state)) return 'running'
    if (isWrittenByJob(job)) return 'partial'
    if (state === null) return 'none'
    if (await isComplete(this.#parts, job, state)) return 'complete'
    if (state.trouble !== null) return 'failed'
    return hasEnded(job.state) ? 'interrupted' : 'partial'
  }

  /** Runs the export. The reason of a failure is stored in the state file, which is beside the exported files. */
  async #export(job: Job): Promise<void> {
    const options = { isOver: hasEnded(job.state), isShared: true, signal: this.#stop.signal }
    const target = rawTargetOf(this.#parts.blobs, job.id)
    await exportRaw(this.#parts, job, target, options).catch(error => asFailure(error))
  }
}

const canStart: ReadonlySet<RawExportStateName> = new Set(['none', 'partial', 'interrupted', 'failed'])

/** Whether the coordinator itself writes the export while the job runs. */
const isWrittenByJob = ({ spec, state }: Job): boolean => spec.results.raw === 'parquet' && !hasEnded(state)

const isLeased = (state: RawState | null): boolean => (state?.lease?.untilMs ?? 0) > Date.now()
