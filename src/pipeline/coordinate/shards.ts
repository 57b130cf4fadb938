// Shards: several coordinators share the hosts of all jobs. Each host has one leading coordinator, and each job has one coordinator
// that ends it.
import type { RequestResult } from '../../dispatch/host-table.ts'
import { givenUrl, hostOf } from '../../frontier/canonical-url.ts'
import { isIn, shardOf } from '../../lib/shard-of.ts'
import type { AddedWork } from '../../model/cluster-messages.ts'
import type { Job } from '../../model/job.ts'
import type { Shard } from '../../model/shard.ts'
import type { Store } from '../../ports/store.ts'
import type { ShardContext, Shards } from './context.ts'
import { abortWork } from './job-states/abort-work.ts'
import { cancelledReason, type RunningJob } from './running-job.ts'
import { parkedHost } from './settle/settle.ts'

type JobPlace = Pick<Job, 'id' | 'spec'>

/** The strategy without shards: one coordinator leads every host and every job. */
export const allHosts: Shards = {
  filter: undefined,
  isFirst: true,
  leads: () => true,
  isHome: () => true,
  concerns: () => true,
  ownWork: added => [...added],
  requestEnded: () => {},
  follow: async () => ({ adopt: [], release: [] }),
  followState: async () => {},
  renewPageShare: async () => {},
  hasWorkElsewhere: async () => false,
}

/** Messages to the other coordinators. Messages may be lost, because each coordinator later finds the same facts in the
 *  store. */
export interface OtherShards {
  /** Reports new tasks at hosts of other shards. */
  work(added: readonly AddedWork[]): void
  /** Reports that a request of one of our tasks ended at a host of another shard. */
  ended(host: string, result: RequestResult): void
}

/** The smallest part of a page limit that a busy shard reserves. */
const leastShare = 8

export class HostShard implements Shards {
  readonly filter: Shard
  readonly #others: OtherShards

  constructor(shard: Shard, others: OtherShards) {
    this.filter = shard
    this.#others = others
  }

  get isFirst(): boolean {
    return this.filter.index === 0
  }

  leads(host: string): boolean {
    return isIn(this.filter, host)
  }

  isHome(job: JobPlace): boolean {
    return homeOf(job, this.filter.count) === this.filter.index
  }

  concerns(job: Job): boolean {
    return this.isHome(job) || (job.state === 'running' && onlyUrlOf(job) === undefined)
  }

  ownWork(added: readonly AddedWork[], passesOn: boolean): AddedWork[] {
    const own = added.filter(({ host }) => this.leads(host))
    if (passesOn && own.length < added.length)
      this.#others.work(added.filter(({ host }) => host !== parkedHost && !this.leads(host)))
    return own
  }

  requestEnded(host: string, result: RequestResult): void {
    this.#others.ended(host, result)
  }

  async follow(context: ShardContext): Promise<{ adopt: string[]; release: RunningJob[] }> {
    const { store, jobs } = context
    const briefs = new Map((await store.jobs.unended()).map(brief => [brief.id, brief]))
    const release: RunningJob[] = []
    for (const running of [...jobs.values()]) {
      const brief = briefs.get(running.id)
      const { state, reason } = running.job
      if (brief && (brief.state !== state || brief.reason !== reason))
        await this.followState(context, running)
      if (this.isHome(running.job)) await recountIdle(store, running)
      else if ((!brief || brief.state === 'paused') && running.inFlight === 0) release.push(running)
      await this.renewPageShare(context, running)
    }
    const isNew = ({ id, state }: { id: string; state: string }) => state === 'running' && !jobs.has(id)
    return { adopt: [...briefs.values()].filter(isNew).map(({ id }) => id), release }
  }

  async followState(context: ShardContext, running: RunningJob): Promise<void> {
    const job = await context.store.jobs.get(running.id)
    if (!job) return
    running.refresh(job)
    if (!running.cancelled && job.state === 'finishing' && job.reason === cancelledReason)
      abortWork(context, running)
    if (job.state === 'paused') context.dispatcher.suspend(running.id, job.resumeAt)
    else if (job.state === 'running') context.dispatcher.unsuspend(running.id)
  }

  /** All shards together reserve about half of the remaining pages. A shard without work returns its part. */
  async renewPageShare({ store, dispatcher }: ShardContext, running: RunningJob): Promise<void> {
    const { index, count } = this.filter
    if (!Number.isFinite(running.maxPages)) return
    const isBusy = running.inFlight > 0 || dispatcher.workOf(running.id) > 0
    const left = Math.max(0, running.maxPages - running.pages)
    const ahead = isBusy ? Math.max(leastShare, Math.floor(left / (2 * count))) : 0
    const held = running.inFlight
    const { pageShare } = running
    if (pageShare !== null && pageShare >= held + ahead / 2 && pageShare <= held + ahead) return
    const share = { of: index, among: count, held, ahead, most: running.maxPages }
    running.setPageShare(await store.jobs.setAside(running.id, share))
  }

  async hasWorkElsewhere(store: Store, jobId: string): Promise<boolean> {
    const { byState } = await store.jobs.counts(jobId)
    const pending = await store.tasks.pendingHosts(jobId)
    return byState.queued + byState.in_progress > 0 || pending.some(({ host }) => host !== parkedHost)
  }
}

/** The URL of a job with one page; undefined for other jobs. Only the coordinator of that URL's host runs such a job. */
const onlyUrlOf = ({ spec }: JobPlace): string | undefined =>
  spec.urls?.length === 1 ? spec.urls[0] : undefined

/** The shard that ingests the job, enforces its limits and ends it. */
export function homeOf(job: JobPlace, count: number): number {
  const url = onlyUrlOf(job)
  return shardOf(url === undefined ? job.id : hostOf(givenUrl(url) ?? url), count)
}

/** The home shard is not notified of every task. If it has no task of the job in flight, it reads the counts from the store. */
async function recountIdle({ jobs }: Store, running: RunningJob): Promise<void> {
  if (running.inFlight === 0 && !running.ingesting) running.recount(await jobs.counts(running.id))
}
