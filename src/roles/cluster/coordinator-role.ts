// coordinator: leads when it is its turn, releases tasks to the streams, and learns what became of them.
import { leaderGuard, openLeadership } from '../../adapters/postgres/leadership.ts'
import { defaultLookAheadMs } from '../../dispatch/dispatcher.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { Events } from '../../model/events.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { type IngestMessage, streams } from '../../model/hand-over.ts'
import type { LaneJob, RobotsReport, TaskBatch } from '../../model/lane.ts'
import { answerPermits } from '../../pipeline/answer-permits.ts'
import type { Coordinator } from '../../pipeline/coordinator.ts'
import type { Lanes } from '../../pipeline/desk.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Term } from '../../ports/leadership.ts'
import type { Store } from '../../ports/store.ts'
import { Engine } from '../engine.ts'
import { coordinatorOn } from '../open-coordinator.ts'
import { openOwnership } from '../ownership.ts'
import { partsOf } from '../service.ts'
import { duties } from '../service-duties.ts'
import { uploadKeyIn } from '../upload-key.ts'
import { StreamHandOver } from './hand-over.ts'
import { deskService, robotsService, type ToDesk } from './messages.ts'
import type { RoleParts, Running } from './role.ts'
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

/** What is led, and in whose name tasks are leased: a new leader goes on with what the one before handed out. */
const leaderName = 'cluster'
const lookForJobsMs = 1_000
const restMs = 200
/** robots.txt may redirect, and wait for its hosts. */
const robotsAgainMs = 60_000

export async function coordinator(parts: RoleParts): Promise<Running> {
  const stop = new AbortController()
  const name = processName('coordinator')
  const status = { leads: false, held: () => 0 }
  const leadership = openLeadership(needed(parts.settings, 'databaseUrl'), leaderName)
  const running = (async () => {
    while (!stop.signal.aborted) {
      await using term = await leadership.lead(stop.signal)
      if (!term) return
      parts.log.info({ name, token: term.token }, 'this coordinator leads')
      await leadOnce(parts, term, stop.signal, status).catch(error =>
        parts.log.warn({ err: asFailure(error) }, 'this coordinator leads no more'),
      )
      Object.assign(status, { leads: false, held: () => 0 })
      await systemClock.sleep(restMs, stop.signal).catch(() => {})
    }
  })()
  return {
    name,
    held: () => status.held(),
    leads: () => status.leads,
    async stop() {
      stop.abort()
      await running
    },
  }
}

async function leadOnce(
  parts: RoleParts,
  term: Term,
  stop: AbortSignal,
  status: { leads: boolean; held: () => number },
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { settings, registry, events } = parts
  const over = AbortSignal.any([stop, term.lost])
  const store = opened.use(await openStore(settings, leaderGuard(leaderName, term.token)))
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings))
  const contents = opened.use(await openStreams(settings))
  const name = processName('coordinator')
  const ingestQueue = opened.use(await openQueue<IngestMessage>(settings, streams.ingest, name))
  const httpQueue = opened.use(await openQueue<TaskBatch>(settings, streams.http, name))
  const browserQueue = opened.use(await openQueue<TaskBatch>(settings, streams.browser, name))
  const data = asDataDirectory(settings, store, blobs)
  const handOver = new StreamHandOver({
    ...{ contents, ingestQueue, leaseMs: settings.leaseMs },
    leastConcurrency: settings.concurrency,
  })
  const desk = coordinatorOn(
    { ...{ data, settings, registry, events }, owner: leaderName, stop: over, stdout: process.stdout },
    {
      lanes: distantLanes(calls, over),
      queues: [httpQueue],
      browserQueue,
      handOver,
      // Whoever led before may have handed out starts up to then.
      startedAt: Date.now() + defaultLookAheadMs,
    },
  )
  const engine = Engine.over({ data, settings, registry, events, coordinator: desk })
  await calls.forget(deskService)
  opened.defer(engine.listen((event, facts) => announce(calls, event, facts)))
  Object.assign(status, { leads: true, held: () => desk.desk.held.size })
  const answering = calls.serve(
    deskService,
    (message: ToDesk) => answer({ engine, coordinator: desk, handOver }, message),
    over,
  )
  const looking = lookForJobs(store, engine, over)
  const acting = opened.use(await openDuties(parts, engine, over))
  try {
    await engine.serve()
  } finally {
    await Promise.allSettled(
      [answering, looking, acting.ended].map(done => Promise.race([done, systemClock.sleep(2_000)])),
    )
  }
}

/** Schedules, webhooks, the search index and the like: each is done by whoever leads. */
async function openDuties(
  { settings, log }: RoleParts,
  engine: Engine,
  over: AbortSignal,
): Promise<AsyncDisposable & { ended: Promise<unknown> }> {
  const ownership = openOwnership(settings)
  const parts = {
    ...partsOf(engine, { log, ownership, accepted: () => {}, stopping: over }),
    uploadKey: await uploadKeyIn(engine.data.path),
    settings,
  }
  const ended = Promise.allSettled(duties.map(duty => duty(parts, over)))
  return { ended, [Symbol.asyncDispose]: () => ownership[Symbol.asyncDispose]() }
}

/** Accepted by the API, which only writes; the hint that comes by Redis is quicker and may be lost. */
async function lookForJobs(store: Store, engine: Engine, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const jobs = await store.jobs.list({ states: ['pending'], limit: 1_000 }).catch(() => [])
    for (const { id } of jobs) engine.takeUp(id)
    await systemClock.sleep(lookForJobsMs, signal).catch(() => {})
  }
}

interface Leader {
  engine: Engine
  coordinator: Coordinator
  handOver: StreamHandOver
}

async function answer({ engine, coordinator, handOver }: Leader, message: ToDesk): Promise<unknown> {
  const { desk } = coordinator
  if (message.say === 'answered') return coordinator.answered(message.tasks)
  if (message.say === 'settled') return coordinator.learn(message.group)
  if (message.say === 'in-hand') return handOver.heardInHand(message.keys, desk.clock.now())
  if (message.say === 'source') return coordinator.inTurn(() => handOver.heardOfSource(desk, message.news))
  if (message.say === 'new-job') return engine.takeUp(message.jobId)
  if (message.say === 'permit') return answerPermits(desk)(message.request, desk.stopping)
  if (message.say === 'steer') return void (await engine.steer(message.jobId, message.kind))
  if (message.say === 'conduct-changed') return engine.hosts.refresh()
  return engine.progress(message.jobId)
}

/** Workers load jobs by themselves. */
const distantLanes = (calls: Calls, over: AbortSignal): Lanes => ({
  count: 1,
  openJob: () => {},
  closeJob: () => {},
  fetchRobots: (origin: string, { id: jobId }: LaneJob): Promise<RobotsReport> =>
    calls.ask(robotsService, { jobId, origin }, asStopping(over), robotsAgainMs),
  [Symbol.asyncDispose]: async () => {},
})

/** Whoever waits is told why it was in vain. */
function asStopping(signal: AbortSignal): AbortSignal {
  const stopping = new AbortController()
  const abort = () => stopping.abort(new Failure('worker.stopping', 'this coordinator leads no more'))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return stopping.signal
}

function announce(calls: Calls, name: keyof Events, facts: Events[keyof Events]): void {
  const news = name === 'job.moved' ? { moved: facts } : name === 'job.deleted' ? { deleted: facts } : null
  if (news) void calls.announce(news).catch(() => {})
}
