// Connects the parts of a coordinator: store, host table, dispatcher, queues and lanes.

import type { Writable } from 'node:stream'
import { openMemoryQueue } from '../adapters/memory/queue.ts'
import { operatorProxies } from '../config/operator-proxies.ts'
import type { Settings } from '../config/settings.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import { HostTable } from '../dispatch/host-table.ts'
import { RenderMemory } from '../dispatch/render-memory.ts'
import { EgressGate } from '../fetch/http/index.ts'
import { systemClock } from '../lib/clocks.ts'
import type { Emitter } from '../lib/emitter.ts'
import { userAgentOf } from '../lib/user-agent.ts'
import type { TaskBatch, TaskReport, TimedTask } from '../model/lane.ts'
import { answerPermits } from '../pipeline/coordinate/answer-permits.ts'
import type { CoordinatorContext } from '../pipeline/coordinate/context.ts'
import { Coordinator } from '../pipeline/coordinate/coordinator.ts'
import { RobotsGate } from '../pipeline/coordinate/hosts/robots-gate.ts'
import { InFlightTasks } from '../pipeline/coordinate/in-flight.ts'
import { LocalWorkers } from '../pipeline/coordinate/local-workers.ts'
import { OutputFollower } from '../pipeline/coordinate/outputs/follow-outputs.ts'
import type { RunningJob } from '../pipeline/coordinate/running-job.ts'
import { allHosts } from '../pipeline/coordinate/shards.ts'
import { ingestLocally } from '../pipeline/submit/ingest-job.ts'
import { type Runner, WorkLoop } from '../pipeline/work/work-loop.ts'
import type { FetchLayer } from '../ports/fetch.ts'
import { neverLapses, type PermitRequest } from '../ports/permits.ts'
import type { Registry } from '../scraper/registry.ts'
import type { DataDirectory } from './data-directory.ts'
import { armFaultPoint } from './fault-point.ts'
import { laneCount, openLanes } from './lanes/open-lanes.ts'
import { openConductRules } from './policy-rules.ts'
import { openProxyPool } from './proxy-pool.ts'

interface CoordinatorInput {
  data: DataDirectory
  settings: Settings
  registry: Registry
  events: Emitter
  owner: string
  scraperFiles: string[]
  /** Whether scrapers are functions. If so, they run on this thread. */
  hasOwnScrapers: boolean
  /** Default number of lanes, if the settings have none. */
  lanes: number | undefined
  /** Threads start with the first job and end when no job is left. */
  lanesOnDemand: boolean | undefined
  fetchLayer: FetchLayer | undefined
  stop: AbortSignal
  stdout: Writable
}

export async function openCoordinator(
  opened: AsyncDisposableStack,
  input: CoordinatorInput,
): Promise<Coordinator> {
  const { events } = input
  const count = laneCount(input)
  const openQueue = () => opened.use(openMemoryQueue<TaskBatch>({ clock: systemClock, leaseMs: 3_600_000 }))
  const queues = Array.from({ length: Math.max(1, count) }, openQueue)
  const browserQueue = openQueue()
  let coordinator: Coordinator
  const loops: WorkLoop[] = []
  const links = {
    emit: events.emit,
    askPermit: (request: PermitRequest) =>
      answerPermits(coordinator.context)(request).then(() => neverLapses),
    reported: (index: number, reports: TaskReport[]) => {
      void loops[index]?.reported(reports)
      coordinator.deliver(reports)
    },
    returned: (index: number, tasks: TimedTask[]) => void loops[index]?.returned(tasks),
    moved: (index: number, tasks: TimedTask[]) => void queues[index]!.send([{ tasks }]),
    died: (index: number, error: Error, hadBegun: boolean) =>
      coordinator.deliver(loops[index]?.abandon(error, hadBegun) ?? []),
    broken: (error: Error) => coordinator.fail(error),
  }
  const lanes = opened.use(await openLanes(input, count, links))
  const ingest = (running: RunningJob) => ingestLocally(coordinator.context, running)
  const lanesNow = { count: () => lanes.count, tasksOf: (lane: number) => loops[lane]?.size ?? 0 }
  const workers = new LocalWorkers({ queues, lanes: lanesNow, browserQueue, ingest })
  coordinator = coordinatorOn(input, { lanes, workers, shards: allHosts, startedAt: Date.now() })
  startLoops(opened, loops, lanes.runners, [...queues, browserQueue])
  return coordinator
}

/** The lanes and workers that run the tasks, and the shards whose hosts the coordinator leads. */
type Work = Pick<CoordinatorContext, 'lanes' | 'workers' | 'shards' | 'startedAt'> &
  Partial<Pick<CoordinatorContext, 'proxies'>> & {
    /** Whether other processes may write the same raw exports. Then a lease ensures that only one writes at a time. */
    isShared?: boolean
  }

export function coordinatorOn(
  input: Pick<CoordinatorInput, 'data' | 'settings' | 'registry' | 'events' | 'owner' | 'stop' | 'stdout'>,
  { isShared = false, ...work }: Work,
): Coordinator {
  const { data, settings, registry, events, owner, stop, stdout } = input
  const conduct = openConductRules(settings)
  const hosts = new HostTable({ policyFor: conduct.policyFor })
  return new Coordinator(
    {
      store: data.store,
      blobs: data.blobs,
      clock: systemClock,
      random: Math.random,
      emit: events.emit,
      mark: armFaultPoint(settings.killPoint),
      hosts,
      dispatcher: new Dispatcher({ hosts }),
      robots: new RobotsGate({ store: data.store.hosts, clock: systemClock }),
      conduct,
      gate: new EgressGate({ allowPrivate: settings.allowPrivate }),
      registry,
      proxies: openProxyPool(operatorProxies(settings), settings),
      ...work,
      renderMemory: new RenderMemory(),
      settings: {
        ...{ owner, usualAgent: userAgentOf(settings) },
        ...{ ...settings, ...tracedBy(settings), queueIdleMs: settings.sqsJobIdleMs },
      },
      jobs: new Map(),
      inFlight: new InFlightTasks(),
      stopping: stop,
    } satisfies Omit<CoordinatorContext, 'deliver'>,
    new OutputFollower({
      store: data.store,
      blobs: data.blobs,
      clock: systemClock,
      stdout,
      emit: events.emit,
      stopping: stop,
      isShared,
    }),
  )
}

/** Without a trace collector, no task is traced. */
const tracedBy = ({ otlpEndpoint }: Settings) => (otlpEndpoint === undefined ? { traceTasks: 0 } : {})

function startLoops(
  opened: AsyncDisposableStack,
  loops: WorkLoop[],
  runners: Runner[],
  queues: ReturnType<typeof openMemoryQueue<TaskBatch>>[],
): void {
  const stop = new AbortController()
  const suspects = new Set<string>()
  const running = runners.map((runner, index) => {
    const loop = new WorkLoop(queues[index]!, runner, suspects)
    loops.push(loop)
    return loop.run(stop.signal)
  })
  opened.defer(async () => {
    stop.abort()
    await Promise.allSettled(running)
  })
}
