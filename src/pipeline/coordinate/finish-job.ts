// The end of a job: when nothing is left to do, its outputs are completed, its manifests written, and its state says how it went.
import type { ToldResults } from '../../deliver/webhook-body.ts'
import { asFailure, type Failure, isAway } from '../../model/failures.ts'
import { hasEnded as isOver, type Job, type JobCounts, type JobState } from '../../model/job.ts'
import { writeManifests } from '../../results/manifests.ts'
import { deleteOrphanSegments } from './delete-orphans.ts'
import type { Desk } from './desk.ts'
import type { OutputFollower } from './follow-outputs.ts'
import { endingWebhooks, toldResults, webhookUrlOf } from './notify-job-end.ts'
import { openOf, type RunningJob } from './running-job.ts'
import { parkedHost } from './settle.ts'
import { emitJobSpan } from './spans.ts'

/**
 * Returns whether the job has ended. Manifests are written while other jobs have their turn, so it takes a second call. Other
 * systems watch for `job_metadata.json`: every job that ends has it before its state says so.
 */
export async function finishJob(desk: Desk, running: RunningJob, outputs: OutputFollower): Promise<boolean> {
  if (running.ending) return endOnceWritten(desk, running, running.ending)
  if (running.ingesting || running.inFlight > 0 || desk.clock.now() < running.finishNotBefore) return false
  if (running.open > 0) await endWhatIsNotRun(desk, running)
  if (running.open > 0) return false
  const counts = await desk.store.jobs.counts(running.id)
  if (openOf(counts) > 0) return recount(running, counts)
  running.finishingAt = desk.clock.now()
  await desk.store.jobs.move(running.id, ['pending', 'running', 'paused'], 'finishing', {
    at: running.finishingAt,
  })
  await outputs.finish(running.job)
  desk.mark('coord.mid_finalize')
  if (counts.tasks === 0 && !running.cancelled) running.brokenSource ??= await allRejected(desk, running)
  const state = running.cancelled ? 'cancelled' : await stateAtEnd(desk, running, counts)
  running.ending = beside(desk, state, async ending => {
    await writeManifests(desk, { ...running.job, state })
    if (running.mayHaveOrphans) await deleteOrphans(desk, running)
    if (tellsPages(desk, running.job)) ending.told = await toldResults(desk, running.job, counts)
  })
  return false
}

/** Reading whole pages would hold up other jobs. */
const tellsPages = ({ settings }: Desk, job: Job): boolean =>
  job.face === 'fetch' && webhookUrlOf(job, settings.webhookUrl) !== undefined

async function endTidied(
  desk: Desk,
  running: RunningJob,
  state: JobState,
  told?: ToldResults,
): Promise<true> {
  desk.mark('coord.after_manifest_before_status')
  await end(desk, running, state, told)
  if (running.mayHaveOrphans && desk.handOver) void lookAgain(desk, running)
  return true
}

/** Whoever was given up has gone on by then, or is gone: perhaps after it kept a page, and before it told anyone. */
async function lookAgain(desk: Desk, running: RunningJob): Promise<void> {
  await desk.clock.sleep(2 * desk.settings.leaseMs, desk.stopping).catch(() => {})
  if (desk.stopping.aborted) return
  // It may have been taken up again since, and pages be on their way.
  const job = await desk.store.jobs.get(running.id).catch(() => null)
  if (job && isOver(job.state) && job.createdAt === running.job.createdAt) await deleteOrphans(desk, running)
}

type Ending = NonNullable<RunningJob['ending']>

/** Runs in a turn of the coordinator, so that it puts the job down in the same turn. */
async function endOnceWritten(desk: Desk, running: RunningJob, ending: Ending): Promise<boolean> {
  const { outcome, state, told } = ending
  if (outcome === 'under way') return false
  if (outcome === 'done') return endTidied(desk, running, state, told)
  running.ending = null
  return finishLater(desk, running, asFailure(outcome))
}

/** If storage refuses the manifests of one job, the job stays `finishing`. Other jobs end meanwhile. */
function finishLater(desk: Desk, running: RunningJob, failure: Failure): false {
  if (!failure.code.startsWith('storage.') && !isAway(failure)) throw failure
  running.finishNotBefore = desk.clock.now() + desk.settings.sweepMs
  if (running.finishTrouble !== failure.message)
    desk.emit('notice.given', { jobId: running.id, message: `${failure.message}; trying again` })
  running.finishTrouble = failure.message
  return false
}

/** The coordinator is called when it is done. */
function beside(desk: Desk, state: JobState, work: (ending: Ending) => Promise<void>): Ending {
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
    .finally(() => desk.deliver([]))
  return ending
}

/** They cost space and nothing else, so a job ends without it. */
async function deleteOrphans(desk: Desk, { id }: RunningJob): Promise<void> {
  await deleteOrphanSegments(desk, id).catch(error =>
    desk.emit('notice.given', { jobId: id, message: asFailure(error).message }),
  )
}

/** The store is the truth; our own count only saves asking it. */
function recount(running: RunningJob, counts: JobCounts): false {
  running.recount(counts)
  return false
}

/** What is left over when a job was cancelled, has its pages, or is a map that has read what it may. */
async function endWhatIsNotRun(desk: Desk, running: RunningJob): Promise<void> {
  const { tasks } = desk.store
  if (running.cancelled) running.open -= await tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  else if (running.budgetReached)
    running.open -= await tasks.endPending(running.id, 'skipped', 'budget.max-pages')
  else if (running.job.kind === 'map' && desk.dispatcher.workOf(running.id) === 0)
    await listParked(desk, running)
}

/** What a map found beyond the pages it read: listed, not fetched. */
async function listParked(desk: Desk, running: RunningJob): Promise<void> {
  if ((await desk.store.tasks.nextWake(running.id)) !== null) return
  if (desk.shard && (await isReadElsewhere(desk, running))) return
  running.open -= await desk.store.tasks.endPending(running.id, 'skipped', 'scope.listed')
}

/** By another coordinator: its hosts have pages that are read, or to be read. */
async function isReadElsewhere({ store }: Desk, { id }: RunningJob): Promise<boolean> {
  const { byState } = await store.jobs.counts(id)
  const pending = await store.tasks.pendingHosts(id)
  return byState.queued + byState.in_progress > 0 || pending.some(({ host }) => host !== parkedHost)
}

/** The reason of a job none of whose rows became a task; null for a source without rows. Another process may have read it. */
async function allRejected({ store }: Desk, { id }: RunningJob): Promise<string | null> {
  const ingest = (await store.jobs.get(id))?.ingest
  if (!ingest?.rejected) return null
  const [first] = await store.tasks.rejected(id, { limit: 1 })
  const example = first ? `; row ${first.row}: ${first.reason}` : ''
  return `no row became a task: ${ingest.rejected} of ${ingest.rows} rows were rejected${example}`
}

async function stateAtEnd(desk: Desk, running: RunningJob, counts: JobCounts): Promise<JobState> {
  const { brokenSource, job } = running
  const isForgiven = brokenSource === null && job.kind === 'crawl' && counts.byState.succeeded > 0
  if (isForgiven && (await onlyDeadLinksFailed(desk, job.id, counts))) return 'completed'
  return finalState(counts, brokenSource)
}

const failuresAtOnce = 500

/** Links to missing pages are normal on real sites. A start URL that is missing is a failure. */
async function onlyDeadLinksFailed({ store }: Desk, jobId: string, counts: JobCounts): Promise<boolean> {
  const { byState, byReason } = counts
  if (byState.failed === 0 || byState.failed > (byReason['http.not-found'] ?? 0)) return false
  for (let after = 0; ; ) {
    const failed = await store.tasks.failed(jobId, { after, limit: failuresAtOnce })
    if (failed.some(({ parent, reason }) => parent === null || reason !== 'http.not-found')) return false
    if (failed.length < failuresAtOnce) return true
    after = failed.at(-1)!.seq
  }
}

/** Property 9: all well is completed, all failed is failed, a mix is partially completed. Rows that could not be read failed. */
export function finalState(
  { byState }: Pick<JobCounts, 'byState'>,
  brokenSource: string | null = null,
): JobState {
  if (byState.failed === 0 && brokenSource === null) return 'completed'
  return byState.succeeded === 0 ? 'failed' : 'partially_completed'
}

async function end(desk: Desk, running: RunningJob, state: JobState, told?: ToldResults): Promise<void> {
  const reason = running.brokenSource
  const at = desk.clock.now()
  const ending = { job: running.job, state, reason, at }
  const webhooks = await endingWebhooks(desk, ending, desk.settings.webhookUrl, told)
  await desk.store.jobs.move(running.id, ['finishing'], state, { reason, resumeAt: null, at, webhooks })
  desk.emit('job.moved', { jobId: running.id, to: state, reason })
  const attributes = { 'kscrape.state': state, 'kscrape.reason': reason }
  emitJobSpan(desk.emit, 'finish', running.job, {
    startedAt: running.finishingAt ?? at,
    endedAt: desk.clock.now(),
    attributes,
  })
}
