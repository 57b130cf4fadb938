// A simulated cluster: random hosts and workers, a store that counts, and a clock that only moves on request.

import { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { RenderMemory } from '../../src/dispatch/render-memory.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { Heap, type HeapItem } from '../../src/lib/collections/heap.ts'
import type { SettledTask } from '../../src/model/cluster-messages.ts'
import { type Job, jobSpec } from '../../src/model/job.ts'
import type { TaskBatch, TimedTask } from '../../src/model/lane.ts'
import { hostPolicy } from '../../src/model/policy/policy.ts'
import type { LeasedTask } from '../../src/model/task.ts'
import { ConductRules } from '../../src/pipeline/coordinate/conduct-rules.ts'
import type { CoordinatorContext } from '../../src/pipeline/coordinate/context.ts'
import { RobotsGate } from '../../src/pipeline/coordinate/hosts/robots-gate.ts'
import { InFlightTasks } from '../../src/pipeline/coordinate/in-flight.ts'
import { RemoteWorkers } from '../../src/pipeline/coordinate/remote-workers.ts'
import { RunningJob } from '../../src/pipeline/coordinate/running-job.ts'
import { allHosts } from '../../src/pipeline/coordinate/shards.ts'
import type { Queue } from '../../src/ports/queue.ts'
import type { ClaimRequest, Store, TaskStore } from '../../src/ports/store.ts'
import { Registry } from '../../src/scraper/registry.ts'

export interface WorldOptions {
  workers: number
  concurrency: number
  hosts: number
  jobs: number
  tasksPerHost: number
  /** Milliseconds between two requests to one host. */
  gapMs: number
  seed: number
}

/** A group of pages that a worker reports to the coordinator. */
interface Arrival extends HeapItem {
  at: number
  tasks: SettledTask[]
}

/** The duration of a request: most are quick, some are slow. */
const fetchMs = { median: 600, spread: 0.8 }
/** The delay of a message from the coordinator to a worker. */
const toWorkerMs = 20
/** A worker reports the pages of this period together. */
const gatherMs = 250
/** The delay from the report of a worker until the coordinator learns that the pages are committed. */
const settleMs = 300
const startedAt = Date.UTC(2026, 0, 1)

export class World {
  now = startedAt
  readonly context: CoordinatorContext
  readonly arrivals = new Heap<Arrival>((a, b) => a.at < b.at)
  /** The time from the earliest allowed start to the real start of each task, in ms. */
  readonly lateness: number[] = []
  readonly #options: WorldOptions
  readonly #random: () => number
  readonly #pending = new Map<string, number>()
  /** For each worker and each task that it can run at once: the time from which it can run the next task. */
  readonly #slots: Float64Array[]
  readonly #dueAt = new Map<string, number>()
  readonly #arriving = new Map<number, Arrival>()
  #nextWorker = 0
  #numbers = 0

  constructor(options: WorldOptions) {
    this.#options = options
    this.#random = randomFrom(options.seed)
    this.#slots = Array.from({ length: options.workers }, () =>
      new Float64Array(options.concurrency).fill(startedAt),
    )
    this.context = this.#openContext()
  }

  #openContext(): CoordinatorContext {
    const { workers, concurrency, hosts: count, gapMs } = this.#options
    const clock = { now: () => this.now, sleep: () => new Promise<void>(() => {}) }
    const policy = hostPolicy.parse({ rate: 1_000 / gapMs, concurrency: 1, robots: 'ignore' })
    const hosts = new HostTable({ policyFor: () => policy, maxHosts: 2 * count })
    const store = { tasks: { claim: this.#claim } as TaskStore } as Store
    return {
      ...{ store, clock, hosts, random: this.#random },
      blobs: {} as CoordinatorContext['blobs'],
      emit: () => {},
      mark: () => {},
      dispatcher: new Dispatcher({ hosts }),
      robots: new RobotsGate({ store: store.hosts, clock }),
      conduct: new ConductRules(
        { policyFor: () => policy, setOverrides: () => [] },
        { denyHosts: [], allowHosts: [] },
      ),
      gate: new EgressGate({ allowPrivate: [] }),
      registry: new Registry(),
      lanes: {} as CoordinatorContext['lanes'],
      renderMemory: new RenderMemory(),
      settings: {
        ...{ owner: 'simulation', concurrency: workers * concurrency, leaseMs: 60_000, sweepMs: 1_000 },
        ...{ graceMs: 1_000, minFreeBytes: 0, obeyRobots: false },
      },
      startedAt,
      jobs: new Map(),
      inFlight: new InFlightTasks(),
      deliver: () => {},
      stopping: new AbortController().signal,
      workers: new RemoteWorkers({
        ...{ httpQueue: this.#queue(), browserQueue: this.#queue() },
        link: {
          ...{ isReachable: true, workerCount: workers },
          ...{ sweep: async () => {}, ingest: async () => {}, handBack: async () => {} },
        },
      }),
      shards: allHosts,
    } as CoordinatorContext
  }

  /** The hosts become due one after the other, as in a crawl that has run for a while. With `isNew`, all are due now. */
  addJob(id: string, hosts: readonly string[], tasksPerHost: number, isNew = false): void {
    const { context } = this
    const spec = jobSpec.parse({ urls: ['https://example.com/'], policy: { robots: 'ignore' } })
    const job = {
      id,
      kind: 'list',
      spec,
      state: 'running',
      createdAt: this.now,
      ingest: { done: true },
    } as Job
    const own = { id, kind: job.kind, workspace: 'default', spec }
    const lane = { ...own, userAgent: 'simulation', cookies: null, slots: 1 }
    const byState = { pending: hosts.length * tasksPerHost, queued: 0, in_progress: 0 }
    const counts = { byState, pages: 0, llmTokens: 0 } as never
    const running = new RunningJob(job, lane, counts, context.settings, {
      inFlight: () => context.inFlight.countOf(id),
    })
    context.jobs.set(id, running)
    context.dispatcher.open({
      ...{ id, createdAt: this.now, single: hosts.length === 1, policy: spec.policy },
      remaining: () => running.open,
      allowance: () => context.settings.concurrency - running.inFlight,
    })
    for (const host of hosts) this.#addHost(id, host, tasksPerHost, isNew)
  }

  #addHost(jobId: string, host: string, tasks: number, isNew: boolean): void {
    const firstAt = isNew ? this.now : this.now + this.#random() * this.#options.gapMs
    if (!isNew) this.context.hosts.pause(host, firstAt, 'not yet')
    this.#dueAt.set(host, firstAt)
    this.#pending.set(`${jobId} ${host}`, tasks)
    this.context.dispatcher.addWork(jobId, host, tasks)
  }

  #claim: TaskStore['claim'] = async (wants: ClaimRequest[]) => wants.flatMap(want => this.#claimOf(want))

  #claimOf({ jobId, host, limit }: ClaimRequest): LeasedTask[] {
    const place = `${jobId} ${host}`
    const left = this.#pending.get(place) ?? 0
    const taken = Math.min(left, limit)
    this.#pending.set(place, left - taken)
    return Array.from({ length: taken }, () => leasedTask(jobId, host, ++this.#numbers))
  }

  #queue(): Queue<TaskBatch> {
    return { send: async (batches: TaskBatch[]) => this.#handOut(batches) } as unknown as Queue<TaskBatch>
  }

  /** Each message goes to the next worker. A task starts at its planned time, or later if the worker has no free slot before. */
  #handOut(batches: TaskBatch[]): void {
    for (const { tasks } of batches) {
      const worker = this.#nextWorker++ % this.#slots.length
      for (const task of tasks) this.#run(worker, task)
    }
  }

  #run(worker: number, task: TimedTask): void {
    const slots = this.#slots[worker]!
    const slot = earliestOf(slots)
    const startedAt = Math.max(this.now + toWorkerMs, task.startAt, slots[slot]!)
    const endedAt = startedAt + this.#fetchMs()
    slots[slot] = endedAt
    this.lateness.push(startedAt - (this.#dueAt.get(task.host) ?? startedAt))
    this.#dueAt.set(task.host, startedAt + this.#options.gapMs)
    this.#arrive(worker, endedAt, settled(task, startedAt, endedAt))
  }

  /** Pages of a worker that end within the same `gatherMs` arrive together. */
  #arrive(worker: number, endedAt: number, task: SettledTask): void {
    const at = Math.ceil(endedAt / gatherMs) * gatherMs + settleMs
    const key = at * this.#slots.length + worker
    const known = this.#arriving.get(key)
    if (known) return void known.tasks.push(task)
    const arrival = { at, tasks: [task], heapIndex: -1 }
    this.#arriving.set(key, arrival)
    this.arrivals.push(arrival)
  }

  /** Returns the groups that have arrived. */
  takeArrived(): Arrival[] {
    const arrived: Arrival[] = []
    for (let next = this.arrivals.peek(); next && next.at <= this.now; next = this.arrivals.peek())
      arrived.push(this.arrivals.pop()!)
    if (this.#arriving.size > 4 * this.arrivals.size + 10_000) this.#forgetArrived()
    return arrived
  }

  #forgetArrived(): void {
    for (const [key, { at }] of this.#arriving) if (at <= this.now) this.#arriving.delete(key)
  }

  #fetchMs(): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random())
    return fetchMs.median * Math.exp(fetchMs.spread * normal)
  }
}

function earliestOf(slots: Float64Array): number {
  let earliest = 0
  for (let index = 1; index < slots.length; index++) if (slots[index]! < slots[earliest]!) earliest = index
  return earliest
}

const leasedTask = (jobId: string, host: string, n: number): LeasedTask => ({
  ...{ jobId, n, attempt: 1, charged: 0, kind: 'page', url: `https://${host}/page/${n}`, host },
  ...{ depth: 1, priority: 0, input: null, itemId: null, way: 'http', wayWhy: null },
})

const settled = ({ jobId, n, attempt, url }: TimedTask, startedAt: number, endedAt: number): SettledTask => ({
  ...{
    jobId,
    n,
    attempt,
    url,
    startedAt,
    sentAt: startedAt,
    endedAt,
    failure: null,
    finalUrl: url,
    bytes: 0,
  },
  ...{ state: 'succeeded', reason: 'ok', message: null, notBefore: 0, isDuplicate: false, isLost: false },
})

/** Pseudo-random numbers from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
