// Moves a store and its blobs to another store, job by job. The target may run a job after all its data has arrived.
import { hasEnded, type Job } from '../../model/job.ts'
import type { TransferRow } from '../../ports/transfer.ts'
import { controlIdleJob } from '../coordinate/job-states/control-idle-job.ts'
import { copyBlobs } from './copy-blobs.ts'
import type { MoveParts } from './move-parts.ts'
import { reseal, specThere } from './moved-spec.ts'

export interface Moved {
  jobs: number
  /** Number of jobs that an earlier, interrupted move had already moved. */
  before: number
  /** Jobs that are not moved, because the target has another job with the same id. */
  refused: string[]
  rows: number
  files: number
}

const rowsAtOnce = 2_000

export async function moveStore(parts: MoveParts): Promise<Moved> {
  const { firstPieces, lastPieces } = parts.from.source
  const moved: Moved = { jobs: 0, before: 0, refused: [], rows: 0, files: 0 }
  for (const piece of firstPieces) await movePiece(parts, piece, null, moved)
  for (const jobId of await parts.from.source.jobs()) await moveJob(parts, jobId, moved)
  moved.files += await copyBlobs(parts, { jobId: null, keeps: key => !key.startsWith('jobs/') })
  for (const piece of lastPieces) await movePiece(parts, piece, null, moved)
  return moved
}

async function moveJob(parts: MoveParts, jobId: string, moved: Moved): Promise<void> {
  const { from, to, origin } = parts
  if ((await to.target.position(origin, 'job', jobId)).done) return void moved.before++
  const job = await settledJob(parts, jobId)
  const there = { ...job, ...(await specThere(parts, job)) }
  if (!(await to.target.begin(origin, there, await from.source.nextNumber(jobId))))
    return refuse(parts, jobId, moved)
  for (const piece of from.source.jobPieces) await movePiece(parts, piece, jobId, moved)
  moved.files += await copyBlobs(parts, { jobId })
  parts.mark('import.before_finish')
  await to.target.finish(origin, jobId, stateThere(parts, job))
  moved.jobs++
}

function refuse({ complain }: MoveParts, jobId: string, moved: Moved): void {
  complain(`job ${jobId} is not moved: the cluster has another job with this id`)
  moved.refused.push(jobId)
}

/** The job in a state that can be moved. A job that was being cancelled is cancelled first, because no process finishes it. */
async function settledJob({ from, now }: MoveParts, jobId: string): Promise<Job> {
  const job = (await from.store.jobs.get(jobId))!
  if (job.state !== 'finishing' || job.reason !== 'cancelled') return job
  await controlIdleJob(from, jobId, 'cancel', now())
  return (await from.store.jobs.get(jobId))!
}

/** The state of the job in the target. Running jobs continue there; jobs that a user paused stay paused. */
function stateThere({ goesOn }: MoveParts, job: Job): Pick<Job, 'state' | 'reason' | 'resumeAt'> {
  const { state, reason, resumeAt } = job
  if (hasEnded(state) || !goesOn(job)) return { state, reason, resumeAt }
  return { state: 'pending', reason: null, resumeAt: null }
}

async function movePiece(parts: MoveParts, piece: string, jobId: string | null, moved: Moved): Promise<void> {
  const { from, to, origin, tell, mark } = parts
  let { after, rows: done, done: isDone } = await to.target.position(origin, piece, jobId)
  if (isDone) return
  const total = await from.source.count(piece, jobId)
  let kept = 0
  let offered = 0
  while (!isDone) {
    const { rows, next } = await from.source.read(piece, jobId, { after, limit: rowsAtOnce })
    isDone = next === null
    done += rows.length
    offered += rows.length
    kept += await to.target.write(origin, piece, jobId, resealed(parts, piece, rows), {
      after: next,
      rows: done,
      done: isDone,
    })
    after = next
    mark('import.after_batch')
    tell({ jobId, piece, done, total })
  }
  moved.rows += kept
  if (kept < offered && jobId === null)
    parts.complain(
      `${offered - kept} of ${offered} rows of ${piece} already exist in the target and stay unchanged`,
    )
}

/** Seals the secrets of schedules with the key of the target, which does not have the key of the source. */
function resealed(parts: MoveParts, piece: string, rows: TransferRow[]): TransferRow[] {
  if (piece !== 'schedules') return rows
  return rows.map(row => {
    const job = reseal(parts, String(row.id), JSON.parse(String(row.job)) as { headers?: unknown })
    return { ...row, job: JSON.stringify(job) }
  })
}
