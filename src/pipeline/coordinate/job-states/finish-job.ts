// The end of a job: completes its outputs, writes its manifests and sets its final state.

import type { ToldResults } from '../../../deliver/webhook-body.ts'
import { failedPages } from '../../../lib/list-pages.ts'
import { asFailure, type Failure, mayPass } from '../../../model/failures.ts'
import { isFed, hasEnded as isOver, type Job, type JobCounts, type JobState } from '../../../model/job.ts'
import { writeManifests } from '../../../results/manifests.ts'
import type { CoordinatorContext } from '../context.ts'
import type { OutputFollower } from '../outputs/follow-outputs.ts'
import { endingWebhooks, toldResults, webhookUrlOf } from '../outputs/notify-job-end.ts'
import { type Ending, openOf, type RunningJob } from '../running-job.ts'
import { emitJobSpan } from '../spans.ts'
import { findWork } from './check-idle-job.ts'
import { deleteOrphanSegments } from './delete-orphans.ts'

/** Dependencies for ending a job. */
type FinishContext = Pick<
  CoordinatorContext,
  | 'store'
  | 'blobs'
  | 'clock'
  | 'emit'
  | 'mark'
  | 'deliver'
  | 'dispatcher'
  | 'settings'
  | 'stopping'
  | 'workers'
  | 'shards'
>

/**
 * Returns whether the job has ended. The first call starts to write the manifests in the background. A call after they
 * are written ends the job. So `job_metadata.json`, for which other systems watch, exists before the state of the job
 * is final.
 */
export async function finishJob(
  context: FinishContext,
  running: RunningJob,
  outputs: OutputFollower,
): Promise<boolean> {
  if (running.finish.ending) return endOnceWritten(context, running, running.finish.ending)
  if (running.ingesting || running.inFlight > 0 || context.clock.now() < running.finish.notBefore)
    return false
  if (running.open > 0) await endWhatIsNotRun(context, running)
  if (running.open > 0) return false
  const counts = await context.store.jobs.counts(running.id)
  if (openOf(counts) > 0) return recount(running, counts)
  const startedAt = context.clock.now()
  running.finish.startedAt = startedAt
  await context.store.jobs.move(running.id, ['pending', 'running', 'paused'], 'finishing', {
    at: startedAt,
  })
  if (isFed(running.job.ingest) && (await hasLateTasks(context, running))) return false
  await outputs.finish(running.job)
  context.mark('coord.mid_finalize')
  if (counts.tasks === 0 && !running.cancelled) await noteAllRejected(context, running)
  const state = running.cancelled ? 'cancelled' : await stateAtEnd(context, running, counts)
  running.finish.ending = beside(context, state, async ending => {
    await outputs.finishRaw(running.job)
    await writeManifests(context, { ...running.job, state })
    if (running.mayHaveOrphans) await deleteOrphans(context, running)
    if (sendsPages(context, running.job)) ending.results = await toldResults(context, running.job, counts)
  })
  return false
}

/** Whether the webhook of the job contains whole pages. They are read in the background, because reading them takes long. */
const sendsPages = ({ settings }: FinishContext, job: Job): boolean =>
  job.face === 'fetch' && webhookUrlOf(job, settings.webhookUrl) !== undefined

async function endFinished(
  context: FinishContext,
  running: RunningJob,
  state: JobState,
  told?: ToldResults,
): Promise<true> {
  context.mark('coord.after_manifest_before_status')
  await end(context, running, state, told)
  if (running.mayHaveOrphans) context.workers.recheckOrphans(context, () => recheckOrphans(context, running))
  return true
}

async function recheckOrphans(context: FinishContext, running: RunningJob): Promise<void> {
  // Skip the check if the job was retried or created again. Segments that look orphaned may then belong to running
  // tasks.
  const job = await context.store.jobs.get(running.id).catch(() => null)
  if (job && isOver(job.state) && job.createdAt === running.job.createdAt)
    await deleteOrphans(context, running)
}

/** Ends the job if its files are written. The turn of the loop that calls this function also releases the job. */
async function endOnceWritten(context: FinishContext, running: RunningJob, ending: Ending): Promise<boolean> {
  const { outcome, state, results } = ending
  if (outcome === 'under way') return false
  if (outcome === 'done') return endFinished(context, running, state, results)
  running.finish.ending = null
  return finishLater(context, running, asFailure(outcome))
}

/** If storage refuses the manifests, the job stays `finishing` and is tried again later. Other jobs are not affected. */
function finishLater(context: FinishContext, running: RunningJob, failure: Failure): false {
  if (!mayPass(failure)) throw failure
  running.finish.notBefore = context.clock.now() + context.settings.sweepMs
  if (running.finish.trouble !== failure.message)
    context.emit('notice.given', { jobId: running.id, message: `${failure.message}; trying again` })
  running.finish.trouble = failure.message
  return false
}

/** Starts `work` in the background, and wakes the coordinator when it is done. */
function beside(context: FinishContext, state: JobState, work: (ending: Ending) => Promise<void>): Ending {
  const ending: Ending = { outcome: 'under way', state, written: Promise.resolve() }
  ending.written = work(ending)
    .then(
      () => {
        ending.outcome = 'done'
      },
      error => {
        ending.outcome = error instanceof Error ? error : asFailure(error)
      },
    )
    .finally(() => context.deliver([]))
  return ending
}

/** Deletes orphan segments. They only cost space, so the job ends even if this fails. */
async function deleteOrphans(context: FinishContext, { id }: RunningJob): Promise<void> {
  await deleteOrphanSegments(context, id).catch(error =>
    context.emit('notice.given', { jobId: id, message: asFailure(error).message }),
  )
}

/** Replaces the counts in memory with the exact counts of the store. Always returns false: the job has not ended. */
function recount(running: RunningJob, counts: JobCounts): false {
  running.recount(counts)
  return false
}

/** Whether the intake added tasks after the last count, while the job was still running. If so, the job runs on. The intake itself
 *  reopens only jobs that it sees finishing or ended. */
async function hasLateTasks(context: FinishContext, running: RunningJob): Promise<boolean> {
  if (running.cancelled || openOf(await context.store.jobs.counts(running.id)) === 0) return false
  await context.store.jobs.move(running.id, ['finishing'], 'running', { at: context.clock.now() })
  await findWork(context, running)
  return true
}

/** Ends the tasks that will not run: the job was cancelled, has all its pages, or is a map that is complete. */
async function endWhatIsNotRun(context: FinishContext, running: RunningJob): Promise<void> {
  const { tasks } = context.store
  if (running.cancelled) running.tasksEnded(await tasks.endPending(running.id, 'cancelled', 'job.cancelled'))
  else if (running.budgetReached)
    running.tasksEnded(await tasks.endPending(running.id, 'skipped', 'budget.max-pages'))
  else if (running.job.kind === 'map' && context.dispatcher.workOf(running.id) === 0)
    await listParked(context, running)
}

/** A map job lists some pages without fetching them. Ends the tasks of these pages when no other task can find more
 *  pages. */
async function listParked(context: FinishContext, running: RunningJob): Promise<void> {
  if ((await context.store.tasks.nextWake(running.id)) !== null) return
  if (await context.shards.hasWorkElsewhere(context.store, running.id)) return
  running.tasksEnded(await context.store.tasks.endPending(running.id, 'skipped', 'scope.listed'))
}

/** If no row of the source became a task, the job fails, and the message shows the first rejected row. The counts are read from
 *  the store, because another process may have ingested the source. */
async function noteAllRejected({ store }: FinishContext, running: RunningJob): Promise<void> {
  const ingest = (await store.jobs.get(running.id))?.ingest
  if (!ingest?.rejected) return
  const [first] = await store.tasks.rejected(running.id, { limit: 1 })
  const example = first ? `; row ${first.row}: ${first.reason}` : ''
  running.sourceFailed(
    `no row became a task: ${ingest.rejected} of ${ingest.rows} rows were rejected${example}`,
  )
}

async function stateAtEnd(context: FinishContext, running: RunningJob, counts: JobCounts): Promise<JobState> {
  const { brokenSource, job } = running
  const isForgiven = brokenSource === null && job.kind === 'crawl' && counts.byState.succeeded > 0
  if (isForgiven && (await onlyDeadLinksFailed(context, job.id, counts))) return 'completed'
  return finalState(counts, brokenSource)
}

/** Whether only found links failed, with "not found". Broken links are normal on real sites; a missing start URL is a failure. */
async function onlyDeadLinksFailed(
  { store }: FinishContext,
  jobId: string,
  counts: JobCounts,
): Promise<boolean> {
  const { byState, byReason } = counts
  if (byState.failed === 0 || byState.failed > (byReason['http.not-found'] ?? 0)) return false
  for await (const failed of failedPages(store.tasks, jobId))
    if (failed.some(({ parent, reason }) => parent === null || reason !== 'http.not-found')) return false
  return true
}

/** The final state: `completed` if no task failed, `failed` if no task succeeded, else `partially_completed`. A source
 *  that could not be read to its end counts as a failure. */
export function finalState(
  { byState }: Pick<JobCounts, 'byState'>,
  brokenSource: string | null = null,
): JobState {
  if (byState.failed === 0 && brokenSource === null) return 'completed'
  return byState.succeeded === 0 ? 'failed' : 'partially_completed'
}

async function end(
  context: FinishContext,
  running: RunningJob,
  state: JobState,
  told?: ToldResults,
): Promise<void> {
  const reason = running.brokenSource
  const at = context.clock.now()
  const ending = { job: running.job, state, reason, at }
  const webhooks = await endingWebhooks(context, ending, context.settings.webhookUrl, told)
  await context.store.jobs.move(running.id, ['finishing'], state, { reason, resumeAt: null, at, webhooks })
  context.emit('job.moved', { jobId: running.id, to: state, reason })
  const attributes = { 'kscrape.state': state, 'kscrape.reason': reason }
  emitJobSpan(context.emit, 'finish', running.job, {
    startedAt: running.finish.startedAt ?? at,
    endedAt: context.clock.now(),
    attributes,
  })
}
