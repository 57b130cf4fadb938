// Shards: several coordinators share the hosts of all jobs. Each host is led by one of them, and each job is ended by one of them.
import { givenUrl, hostOf } from '../../frontier/canonical-url.ts'
import { isIn, shardOf } from '../../lib/shard-of.ts'
import type { AddedWork } from '../../model/hand-over.ts'
import type { Job } from '../../model/job.ts'
import type { Shard } from '../../model/shard.ts'
import { type AbortContext, abortWork } from './abort-work.ts'
import type { CoordinatorContext } from './context.ts'
import { cancelledReason, type RunningJob } from './running-job.ts'
import { parkedHost } from './settle.ts'

export type ShardContext = AbortContext &
  Pick<CoordinatorContext, 'jobs' | 'store' | 'dispatcher' | 'shard' | 'others'>

type Placed = Pick<Job, 'id' | 'spec'>

/** Whose only page it is: nobody else need know of such a job. */
const onlyUrlOf = ({ spec }: Placed): string | undefined =>
  spec.urls?.length === 1 ? spec.urls[0] : undefined

/** Who reads its source, decides on its budget, and ends it. */
export function homeOf(job: Placed, count: number): number {
  const url = onlyUrlOf(job)
  return shardOf(url === undefined ? job.id : hostOf(givenUrl(url) ?? url), count)
}

export const isHome = (shard: Shard | undefined, job: Placed): boolean =>
  shard === undefined || homeOf(job, shard.count) === shard.index

/** Whether a coordinator takes the job up by itself; others do when they are asked about it. */
export const concerns = (shard: Shard | undefined, job: Job): boolean =>
  isHome(shard, job) || (job.state === 'running' && onlyUrlOf(job) === undefined)

/** What is to be done once is done by the first. */
export const isFirst = (shard: Shard | undefined): boolean => shard === undefined || shard.index === 0

/** What is ours stays here; the rest is told to whoever it belongs to. */
export function keepOwn(
  context: Pick<CoordinatorContext, 'shard' | 'others'>,
  added: readonly AddedWork[],
  passesOn: boolean,
): AddedWork[] {
  const { shard } = context
  if (!shard) return [...added]
  const own = added.filter(({ host }) => isIn(shard, host))
  if (passesOn && own.length < added.length)
    context.others?.work(added.filter(({ host }) => host !== parkedHost && !isIn(shard, host)))
  return own
}

/** Looked at every sweep: what others did to jobs is in the store. Says which are to be taken up, and which put down. */
export async function followOthers(
  context: ShardContext,
): Promise<{ adopt: string[]; releaseJob: RunningJob[] }> {
  const briefs = new Map((await context.store.jobs.unended()).map(brief => [brief.id, brief]))
  const releaseJob: RunningJob[] = []
  for (const running of [...context.jobs.values()]) {
    const brief = briefs.get(running.id)
    const { state, reason } = running.job
    const isOurs = isHome(context.shard, running.job)
    if (brief && (brief.state !== state || brief.reason !== reason)) await followState(context, running)
    if (isOurs) await recountIdle(context, running)
    else if ((!brief || brief.state === 'paused') && running.inFlight === 0) releaseJob.push(running)
    await renewShare(context, running)
  }
  const isNew = ({ id, state }: { id: string; state: string }) => state === 'running' && !context.jobs.has(id)
  return { adopt: [...briefs.values()].filter(isNew).map(({ id }) => id), releaseJob }
}

/** Another coordinator paused, resumed or cancelled it. */
export async function followState(context: ShardContext, running: RunningJob): Promise<void> {
  const job = await context.store.jobs.get(running.id)
  if (!job) return
  running.refresh(job)
  if (!running.cancelled && job.state === 'finishing' && job.reason === cancelledReason)
    abortWork(context, running)
  if (job.state === 'paused') context.dispatcher.suspend(running.id, job.resumeAt)
  else if (job.state === 'running') context.dispatcher.unsuspend(running.id)
}

/** Whoever ends the job does not hear of every task: with none of its own, it asks how many are left. */
async function recountIdle(context: ShardContext, running: RunningJob): Promise<void> {
  if (running.inFlight === 0 && !running.ingesting)
    running.recount(await context.store.jobs.counts(running.id))
}

const leastShare = 8

/**
 * Pages of the job's budget that this shard may bring, those in flight included: set aside in the store, so that all shards together
 * never exceed it. Half of what is left is shared out at a time; who has nothing to do gives back.
 */
export async function renewShare(context: ShardContext, running: RunningJob): Promise<void> {
  const { shard } = context
  if (!shard || !Number.isFinite(running.maxPages)) return
  const isBusy = running.inFlight > 0 || context.dispatcher.workOf(running.id) > 0
  const left = Math.max(0, running.maxPages - running.pages)
  const ahead = isBusy ? Math.max(leastShare, Math.floor(left / (2 * shard.count))) : 0
  const held = running.inFlight
  const isPlenty = running.pageShare !== null && running.pageShare >= held + ahead / 2
  if (isPlenty && running.pageShare! <= held + ahead) return
  const share = { of: shard.index, among: shard.count, held, ahead, most: running.maxPages }
  running.setPageShare(await context.store.jobs.setAside(running.id, share))
}
