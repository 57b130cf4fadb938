// coordinator: leads shards when elected, sends due tasks to the streams, and handles their outcomes.
import { leaderGuard, openLeadership } from '../../adapters/postgres/leadership.ts'
import { operatorProxies } from '../../config/operator-proxies.ts'
import { defaultLookAheadMs } from '../../dispatch/dispatcher.ts'
import { joinHostCounts } from '../../dispatch/host-counts.ts'
import type { RequestResult } from '../../dispatch/host-table.ts'
import { joinWork } from '../../dispatch/wait-summary.ts'
import { systemClock } from '../../lib/clocks.ts'
import { Emitter } from '../../lib/emitter.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { shardOf } from '../../lib/shard-of.ts'
import { type AddedWork, type IngestMessage, streams } from '../../model/cluster-messages.ts'
import type { Events } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { RobotsReport, TaskBatch } from '../../model/lane.ts'
import { hostLines } from '../../observe/metrics/request-metrics.ts'
import { answerPermits } from '../../pipeline/coordinate/answer-permits.ts'
import type { CoordinatorContext, Lanes, Shards } from '../../pipeline/coordinate/context.ts'
import type { Coordinator } from '../../pipeline/coordinate/coordinator.ts'
import { loadHostState } from '../../pipeline/coordinate/hosts/load-host-state.ts'
import { RemoteWorkers } from '../../pipeline/coordinate/remote-workers.ts'
import { runnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import { acceptWork } from '../../pipeline/coordinate/settle/learn-outcomes.ts'
import { allHosts, HostShard, type OtherShards } from '../../pipeline/coordinate/shards.ts'
import { longestRobotsMs } from '../../pipeline/work/fetch-robots.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Term } from '../../ports/leadership.ts'
import type { Store } from '../../ports/store.ts'
import { Engine } from '../engine.ts'
import { coordinatorOn } from '../open-coordinator.ts'
import { openProxyPool } from '../proxy-pool.ts'
import { DocumentReader } from '../reader/document-reader.ts'
import { openOwnership } from '../service/ownership.ts'
import { openPreviewLooks } from '../service/preview-looks.ts'
import { serviceLoops } from '../service/service-loops.ts'
import { openPreviewReader, partsOf } from '../service/service-parts.ts'
import { uploadKeyIn } from '../service/upload-key.ts'
import { openWebSearch } from '../service/web-search.ts'
import {
  type ClusterEvent,
  coordinatorOf,
  type RobotsQuestion,
  robotsService,
  type ToCoordinator,
} from './messages.ts'
import { hint } from './notify-shards.ts'
import { sendHeartbeats, signOut } from './presence.ts'
import { distantChecks } from './proxy-checks.ts'
import { handBackMs, type RoleParts, type Running } from './role.ts'
import {
  asDataDirectory,
  needed,
  openBlobs,
  openCalls,
  openQueue,
  openStore,
  openStreams,
  processName,
} from './services.ts'
import { type LedShard, ShardShares } from './shard-shares.ts'
import { shareRunnable } from './share-runnable.ts'
import { StreamLink } from './stream-link.ts'
import { openCache, withCachedRobots } from './task-services/shared-caches.ts'

/** The owner of task leases. All leaders use the same name, so a new leader continues the tasks of the previous one. */
const leaderName = 'cluster'
const lookForJobsMs = 1_000
const mostNewJobs = 1_000
/** Records per update of the search index, and milliseconds between two updates. An update takes four SQL statements
 *  for any number of records, so many records are added at once. */
const index = { atOnce: 500, everyMs: 2_000 }
const restMs = 200
/** Enough time to fetch a robots.txt with redirects twice, in case the first worker dies. */
const robotsWithinMs = 2 * longestRobotsMs

export async function coordinator(parts: RoleParts): Promise<Running> {
  const stop = new AbortController()
  const name = processName('coordinator')
  const { settings } = parts
  const shares = new ShardShares(settings.shards)
  await using opened = new AsyncDisposableStack()
  const presence = opened.use(await openStreams(settings))
  const loops = [
    ...Array.from({ length: settings.shards }, (_, index) =>
      leadShard(parts, name, shares, index, stop.signal),
    ),
    sendHeartbeats(
      presence,
      name,
      () => ({ role: 'coordinator', concurrency: 0, held: shares.held }),
      stop.signal,
    ),
    shares.keepFair(presence, stop.signal),
    ...(settings.shards > 1 ? [shareRunnable(settings, shares, stop.signal)] : []),
  ]
  const all = opened.move()
  return {
    name,
    held: () => shares.held,
    leads: () => shares.count > 0,
    hosts: () => joinHostCounts(shares.hosts, hostLines),
    work: () => joinWork(shares.work),
    proxies: () => shares.proxies(),
    runnable: stored => shares.runnable(stored),
    async stop(graceMs) {
      stop.abort()
      await settledWithin(Promise.allSettled(loops), graceMs + handBackMs)
      await signOut(presence, name)
      await all.disposeAsync()
    },
  }
}

/** The name of a shard's lock. The store counts fencing tokens per name. */
const shardName = (index: number): string => (index === 0 ? leaderName : `${leaderName}.${index}`)

/** Leads the shard for as long as this process is elected; then waits for the next election. */
async function leadShard(
  parts: RoleParts,
  name: string,
  shares: ShardShares,
  index: number,
  stop: AbortSignal,
): Promise<void> {
  const { settings } = parts
  const log = parts.log.child({ component: 'cluster' })
  const facts = { name, ...(settings.shards > 1 && { shard: index, shards: settings.shards }) }
  const leadership = openLeadership({
    url: needed(settings, 'databaseUrl'),
    name: shardName(index),
    shards: settings.shards,
    isEager: () => shares.hasRoom,
    tell: why => log.warn(facts, why),
  })
  while (!stop.aborted) {
    await using term = await leadership.lead(stop)
    if (!term) return
    log.info({ ...facts, token: term.token }, 'this coordinator leads')
    using led = shares.lead(index)
    const over = AbortSignal.any([stop, term.lost, led.over])
    await leadOnce(parts, { term, index, over, led }).catch(error =>
      log.warn({ ...facts, err: asFailure(error) }, 'this coordinator no longer leads'),
    )
    await systemClock.sleep(restMs, stop).catch(() => {})
  }
}

interface Turn {
  term: Term
  index: number
  over: AbortSignal
  led: LedShard
}

async function leadOnce(parts: RoleParts, { term, index, over, led }: Turn): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { settings, registry, traces } = parts
  const events = new Emitter()
  opened.defer(events.listen((event, facts) => parts.events.emit(event, facts as never)))
  const store = opened.use(await openStore(settings, { guard: leaderGuard(shardName(index), term.token) }))
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings))
  const contents = opened.use(await openStreams(settings))
  const name = processName('coordinator')
  const ingestQueue = opened.use(await openQueue<IngestMessage>(settings, streams.ingest, name))
  const httpQueue = opened.use(await openQueue<TaskBatch>(settings, streams.http, name))
  const browserQueue = opened.use(await openQueue<TaskBatch>(settings, streams.browser, name))
  const cache = opened.use(await openCache(settings))
  const hosts = withCachedRobots(store.hosts, cache, () => systemClock.now())
  const data = asDataDirectory(settings, { ...store, hosts }, blobs)
  const link = new StreamLink({
    ...{ contents, ingestQueue, leaseMs: settings.leaseMs },
    leastConcurrency: settings.concurrency,
  })
  const { shards: count } = settings
  const shards = count > 1 ? new HostShard({ index, count }, otherShards(calls, count)) : allHosts
  const leader = coordinatorOn(
    { ...{ data, settings, registry, events }, owner: leaderName, stop: over, stdout: process.stdout },
    {
      lanes: distantLanes(calls, link, over),
      workers: new RemoteWorkers({ link, httpQueue, browserQueue }),
      shards,
      isShared: true,
      proxies: { ...openProxyPool(operatorProxies(settings), settings), check: distantChecks(calls) },
      // Requests that the previous leader planned may still start until this time.
      startedAt: Date.now() + defaultLookAheadMs,
    },
  )
  const engine = Engine.over({ data, settings, registry, events, traces, coordinator: leader })
  await calls.forget(coordinatorOf(index))
  opened.defer(engine.listen((event, facts) => announce(calls, event, facts)))
  led.held = () => leader.context.inFlight.size
  led.hosts = () => engine.hostCounts(hostLines)
  led.work = () => engine.workCountsOf()
  led.proxies = () => engine.proxies.list()
  led.runnable = stored => runnableWork(leader.context, stored)
  const answering = calls.serve(
    coordinatorOf(index),
    (message: ToCoordinator) => answer({ engine, coordinator: leader, link }, message),
    over,
  )
  const looking = lookForJobs(store, engine, shards, over)
  const acting = index === 0 ? [opened.use(await openServiceLoops(parts, engine, over)).ended] : []
  try {
    await engine.serve()
  } finally {
    await Promise.allSettled([answering, looking, ...acting].map(done => settledWithin(done, 2_000)))
  }
}

const otherShards = (calls: Calls, shards: number): OtherShards => ({
  work(added) {
    for (const [shard, own] of Map.groupBy(added, ({ host }) => shardOf(host, shards)))
      hint(calls, shard, { say: 'work', added: own })
  },
  ended: (host, result) => hint(calls, shardOf(host, shards), { say: 'ended', host, result }),
})

/** The leader of the first shard runs schedules, webhooks, the search index and the other service loops. */
async function openServiceLoops(
  { settings, log, metrics }: RoleParts,
  engine: Engine,
  over: AbortSignal,
): Promise<AsyncDisposable & { ended: Promise<unknown> }> {
  await using opened = new AsyncDisposableStack()
  const ownership = opened.use(openOwnership(settings))
  const reader = opened.use(openPreviewReader())
  const documents = opened.use(new DocumentReader(systemClock))
  const looks = opened.use(openPreviewLooks(settings))
  const webSearch = opened.use(openWebSearch(settings))
  const beside = { log, ownership, reader, documents, looks, webSearch, accepted: () => {}, stopping: over }
  const parts = {
    ...partsOf(engine, beside, settings, metrics),
    uploadKey: await uploadKeyIn(engine.data.path),
    settings,
    index,
  }
  const ended = Promise.allSettled(serviceLoops.map(loop => loop(parts, over)))
  const all = opened.move()
  return { ended, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** Finds new jobs in the store, and running jobs without a coordinator. Messages over Redis are faster, but may be lost. */
async function lookForJobs(store: Store, engine: Engine, shards: Shards, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const jobId of await jobsToAdopt(store, shards).catch(() => [])) engine.adopt(jobId)
    await systemClock.sleep(lookForJobsMs, signal).catch(() => {})
  }
}

async function jobsToAdopt({ jobs }: Store, shards: Shards): Promise<string[]> {
  if (shards.filter) {
    // Lists only pending jobs, because the sweep of this leader finds the running ones.
    const pending = await jobs.list({ states: ['pending'], limit: mostNewJobs })
    return pending.filter(job => shards.isHome(job)).map(({ id }) => id)
  }
  const unended = Map.groupBy(await jobs.unended(), ({ state }) => state)
  const { pending = [], running = [], finishing = [] } = Object.fromEntries(unended)
  return [...running, ...finishing, ...pending.slice(-mostNewJobs)].map(({ id }) => id)
}

interface Leader {
  engine: Engine
  coordinator: Coordinator
  link: StreamLink
}

async function answer({ engine, coordinator, link }: Leader, message: ToCoordinator): Promise<unknown> {
  const { context } = coordinator
  if (message.say === 'answered') return coordinator.answered(message.tasks)
  if (message.say === 'settled') return coordinator.learn(message.group)
  if (message.say === 'in-hand') return link.heardInHand(message.keys, context.clock.now())
  if (message.say === 'source') return coordinator.inTurn(() => link.heardOfSource(context, message.update))
  if (message.say === 'new-job') return engine.adopt(message.jobId)
  if (message.say === 'work') return hearOfWork({ engine, coordinator }, message.added)
  if (message.say === 'ended') return hearOfEnd(context, message.host, message.result)
  if (message.say === 'sent-late') return hearOfLate(context, message.host, message.at)
  if (message.say === 'permit') {
    if (context.shards.filter) await engine.adoptNow(message.request.jobId)
    return answerPermits(context)(message.request)
  }
  if (message.say === 'steer') return void (await engine.steer(message.jobId, message.kind))
  if (message.say === 'proxies') return message.check ? engine.proxies.check() : engine.proxies.list()
  if (message.say === 'conduct-changed') return engine.hosts.refresh()
  if (message.say === 'runnable') return runnableWork(context, [])
  return engine.progress(message.jobId)
}

/** Accepts tasks that were added to a job. If the job is not adopted yet, adopts it, which finds the tasks. */
async function hearOfWork({ engine, coordinator }: Omit<Leader, 'link'>, added: AddedWork[]): Promise<void> {
  const known = added.filter(({ jobId }) => coordinator.context.jobs.has(jobId))
  await coordinator.inTurn(() => acceptWork(coordinator.context, known, { passesOn: false }))
  const unknown = new Set(added.filter(one => !known.includes(one)).map(({ jobId }) => jobId))
  for (const jobId of unknown) await engine.adoptNow(jobId)
}

type HostContext = Pick<CoordinatorContext, 'hosts' | 'store' | 'startedAt' | 'clock'>

/** Records the time at which a worker sent a late request. A time in the future counts as now, so that a worker whose
 *  clock is ahead does not block the host. */
async function hearOfLate(context: HostContext, host: string, at: number): Promise<void> {
  await loadHostState(context, host)
  context.hosts.noteSent(host, Math.min(at, context.clock.now()))
}

async function hearOfEnd(context: HostContext, host: string, result: RequestResult): Promise<void> {
  await loadHostState(context, host)
  context.hosts.extraEnded(host, result, context.clock.now())
}

/** Lanes in worker processes. `openJob` does nothing, because workers load jobs themselves. */
function distantLanes(calls: Calls, link: StreamLink, over: AbortSignal): Lanes {
  // Use one abort listener for all calls. A listener per call would leak, because a leader may lead for months.
  const stopping = asStopping(over)
  return {
    count: 1,
    openJob: () => {},
    closeJob: () => {},
    cancelJob: jobId => void calls.announce({ cancelled: { jobId } } satisfies ClusterEvent).catch(() => {}),
    fetchRobots: (origin, { id: jobId }, identity) =>
      askForRobots({ calls, link }, { jobId, origin, identity }, stopping),
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Asks the workers for a robots.txt. If no worker answers, asks again, because the autoscaler starts a worker for the waiting
 *  tasks. Requeueing the tasks instead would use up their attempts. */
async function askForRobots(
  { calls, link }: { calls: Calls; link: StreamLink },
  question: RobotsQuestion,
  signal: AbortSignal,
): Promise<RobotsReport> {
  const late = `no worker fetched robots.txt of ${question.origin} within ${robotsWithinMs / 60_000} minutes`
  for (;;)
    try {
      return await calls.ask<RobotsReport>(robotsService, question, {
        withinMs: robotsWithinMs,
        late,
        signal,
      })
    } catch (error) {
      if (asFailure(error).code !== 'queue.unavailable' || link.workers.length > 0) throw error
    }
}

/** A signal whose reason is the failure `worker.stopping`, so that waiting calls reject with it. */
function asStopping(signal: AbortSignal): AbortSignal {
  const stopping = new AbortController()
  const abort = () => stopping.abort(new Failure('worker.stopping', 'this coordinator no longer leads'))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return stopping.signal
}

function announce(calls: Calls, name: keyof Events, facts: Events[keyof Events]): void {
  const word = announced[name]
  const isOfJob = 'jobId' in facts && facts.jobId !== null
  if (word !== undefined && isOfJob) void calls.announce({ [word]: facts }).catch(() => {})
}

const announced: { [Name in keyof Events]?: keyof ClusterEvent } = {
  'job.moved': 'moved',
  'job.deleted': 'deleted',
  'notice.given': 'notice',
}
