// Simulates hours of three jobs on fifty failing hosts, and checks that politeness and fairness hold.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '../model/failures.ts'
import { executionPolicy, type HostPolicy, hostPolicy } from '../model/policy/policy.ts'
import { Dispatcher, type PlannedClaim } from './dispatcher.ts'
import { HostTable } from './host-table.ts'

interface Running {
  jobId: string
  host: string
  startedAt: number
  endsAt: number
}

interface SimulatedJob {
  id: string
  pending: Map<string, number>
  retries: Array<{ host: string; at: number }>
  open: number
  running: number
  ended: number
  startedAt: number[]
}

const policies: HostPolicy[] = [
  hostPolicy.parse({}),
  hostPolicy.parse({ rate: 4, concurrency: 3 }),
  hostPolicy.parse({ rate: 0.5, concurrency: 2 }),
  hostPolicy.parse({ rate: 'unlimited', concurrency: 4 }),
  hostPolicy.parse({ rate: 2, hours: { from: '00:20', to: '00:10', timeZone: 'Europe/Berlin' } }),
]
const numberOf = (host: string) => Number(host.split('.')[0]!.slice(1))
const policyOf = (host: string) => policies[numberOf(host) % policies.length]!
/** Every seventh host has a crawl delay, one of them above the maximum. */
const crawlDelayOf = (host: string) => (numberOf(host) % 7 === 0 ? 3_000 : numberOf(host) === 13 ? 90_000 : 0)

class Simulation {
  now = Date.UTC(2026, 2, 1)
  readonly hosts = new HostTable({ policyFor: policyOf })
  readonly dispatcher = new Dispatcher({ hosts: this.hosts })
  readonly jobs = new Map<string, SimulatedJob>()
  readonly startsOf = new Map<string, number[]>()
  readonly quietUntil = new Map<string, number>()
  running: Running[] = []
  readonly #random: () => number

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  addJob(id: string, tasksPerHost: number, hostCount: number, policy = {}): void {
    const job: SimulatedJob = {
      id,
      pending: new Map(),
      retries: [],
      open: 0,
      running: 0,
      ended: 0,
      startedAt: [],
    }
    this.jobs.set(id, job)
    this.dispatcher.open({
      id,
      createdAt: this.now,
      single: false,
      policy: executionPolicy.parse(policy),
      remaining: () => job.open,
      allowance: () => 40 - job.running,
    })
    for (let n = 0; n < hostCount; n += 1) this.#addTasks(job, `h${n}.example`, tasksPerHost)
  }

  #addTasks(job: SimulatedJob, host: string, count: number): void {
    job.open += count
    this.#makeRunnable(job, host, count)
    this.hosts.setCrawlDelay(host, crawlDelayOf(host) || null)
  }

  #makeRunnable(job: SimulatedJob, host: string, count: number): void {
    job.pending.set(host, (job.pending.get(host) ?? 0) + count)
    this.dispatcher.addWork(job.id, host, count)
  }

  /** Runs until every task has ended. The simulated time jumps from event to event. */
  run(maxSimulatedMs: number): void {
    const end = this.now + maxSimulatedMs
    while (this.now < end) {
      this.#wakeRetries()
      this.#finishDue()
      const { claims, nextAt } = this.dispatcher.plan(this.now, 60 - this.running.length)
      for (const claim of claims) this.dispatcher.used(claim, this.#claim(claim))
      const next = this.#nextEvent(nextAt)
      if (next === null) return
      // Timers are late now and then, as on a busy machine.
      this.now = Math.max(this.now + 1, next + Math.floor(this.#random() * 20))
    }
  }

  #claim({ jobId, host, starts, gapMs }: PlannedClaim): number {
    const job = this.jobs.get(jobId)!
    const taken = Math.min(starts.length, job.pending.get(host) ?? 0)
    job.pending.set(host, (job.pending.get(host) ?? 0) - taken)
    for (const start of starts.slice(0, taken)) this.#start(job, host, start, gapMs)
    return taken
  }

  /** Starts a request as a lane does: not before its slot, after the planned delay, and sometimes late. */
  #start(job: SimulatedJob, host: string, earliest: number, gapMs: number): void {
    const last = this.startsOf.get(host)?.at(-1) ?? 0
    const lateMs = this.#random() < 0.1 ? Math.floor(this.#random() * 900) : 0
    const startedAt = Math.max(this.now, earliest, last + gapMs) + lateMs
    job.running += 1
    job.startedAt.push(startedAt)
    this.startsOf.set(host, [...(this.startsOf.get(host) ?? []), startedAt])
    this.running.push({
      jobId: job.id,
      host,
      startedAt,
      endsAt: startedAt + Math.floor(20 + this.#random() ** 4 * 20_000),
    })
    this.#checkStart(host, startedAt)
  }

  #checkStart(host: string, startedAt: number): void {
    const limit = policyOf(host).concurrency
    const inFlight = this.running.filter(other => other.host === host).length
    assert.ok(inFlight <= limit, `${host} has ${inFlight} requests at a time, allowed are ${limit}`)
    assert.ok(
      startedAt >= (this.quietUntil.get(host) ?? 0),
      `${host} was requested before its Retry-After was over`,
    )
  }

  #finishDue(): void {
    const due = this.running.filter(task => task.endsAt <= this.now)
    this.running = this.running.filter(task => task.endsAt > this.now)
    for (const task of due) this.#finish(task, this.#outcome(task.host))
  }

  /** Host 3 is down permanently, every fifth host throttles, and the other hosts fail now and then. */
  #outcome(host: string): FailureCode | undefined {
    const chance = this.#random()
    if (numberOf(host) === 3) return 'connect.refused'
    if (numberOf(host) % 5 === 1 && chance < 0.1) return 'host.throttled'
    if (chance < 0.03) return 'http.server-error'
    if (chance < 0.05) return 'http.not-found'
    return chance < 0.06 ? 'worker.stopping' : undefined
  }

  #finish(task: Running, failure: FailureCode | undefined): void {
    const job = this.jobs.get(task.jobId)!
    const retryAfterMs = failure === 'host.throttled' ? Math.floor(this.#random() * 30_000) : undefined
    if (retryAfterMs !== undefined) this.quietUntil.set(task.host, this.now + retryAfterMs)
    this.hosts.finished(
      task.host,
      {
        startedAt: task.startedAt,
        endedAt: task.endsAt,
        ...(failure && { failure }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      },
      this.now,
    )
    job.running -= 1
    if (failure && failure !== 'http.not-found' && numberOf(task.host) !== 3)
      job.retries.push({ host: task.host, at: this.now + 2_000 })
    else this.#end(job)
  }

  #end(job: SimulatedJob): void {
    job.open -= 1
    job.ended += 1
  }

  #wakeRetries(): void {
    for (const job of this.jobs.values()) {
      const due = job.retries.filter(retry => retry.at <= this.now)
      job.retries = job.retries.filter(retry => retry.at > this.now)
      for (const retry of due) this.#makeRunnable(job, retry.host, 1)
    }
  }

  #nextEvent(nextPlanAt: number | null): number | null {
    const times = this.running.map(task => task.endsAt)
    for (const job of this.jobs.values()) times.push(...job.retries.map(retry => retry.at))
    if (nextPlanAt !== null) times.push(nextPlanAt)
    return times.length > 0 ? Math.min(...times) : null
  }
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

for (const seed of [1, 2, 3]) {
  test(`hours of faults (seed ${seed}) lose no task, starve no job and never exceed the rate of a host`, () => {
    const world = new Simulation(seed)
    world.addJob('small', 5, 10)
    world.addJob('middle', 40, 30)
    world.addJob('large', 60, 50, { throttle: { rate: 20, burst: 5 } })

    world.run(24 * 3_600_000)

    for (const job of world.jobs.values()) {
      assert.equal(
        job.open,
        0,
        `${job.id} has ${job.open} tasks left; waits: ${JSON.stringify(world.dispatcher.waiting(world.now))}`,
      )
    }
    for (const [host, starts] of world.startsOf) assertGaps(host, starts)
    assertNobodyStarved(world)
  })
}

/** Asserts that the time between two starts is never shorter than the policy and the crawl delay require. */
function assertGaps(host: string, starts: number[]): void {
  const policy = policyOf(host)
  const gapMs = policy.rate === 'unlimited' ? 0 : 1_000 / policy.rate
  const expected = Math.max(gapMs, Math.min(crawlDelayOf(host), policy.crawlDelayCapMs))
  const sorted = starts.toSorted((a, b) => a - b)
  for (let index = 1; index < sorted.length; index += 1) {
    const distance = sorted[index]! - sorted[index - 1]!
    assert.ok(distance >= expected, `${host} was requested again after ${distance} ms, not ${expected}`)
  }
}

/** While all three jobs run, the largest job gets its first task at once, and then further tasks. */
function assertNobodyStarved(world: Simulation): void {
  const begin = Date.UTC(2026, 2, 1)
  const smallEnd = Math.max(...world.jobs.get('small')!.startedAt)
  for (const job of world.jobs.values()) {
    assert.ok(job.startedAt[0]! - begin < 5_000, `${job.id} got its first task after 5 s`)
    assert.ok(
      job.startedAt.some(at => at <= smallEnd),
      `${job.id} waited for the small job to end`,
    )
  }
}
