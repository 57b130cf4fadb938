// Compares leases with a simple model: for any order of claims, losses, settlements and cancels, the store and the model agree on
// every task.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { FakeClock } from '../../src/lib/clocks.ts'
import { type TaskState, taskMoves } from '../../src/model/task.ts'
import type { Store } from '../../src/ports/store.ts'
import { claim, newJob, newRecord, newTasks, retryAt, settlementOf } from '../contracts/store/fixtures.ts'

const taskCount = 6
const poisonAfter = 2
const owners = ['ann', 'bob', 'cid']

interface ModelTask {
  n: number
  state: TaskState
  attempt: number
  charged: number
  deaths: number
  notBefore: number
  owner: string | null
  leaseUntil: number
  records: number
}

/** A lease as its owner knows it. The owner may have lost it. */
interface Memory {
  n: number
  attempt: number
  owner: string
}

class Model {
  tasks: ModelTask[] = Array.from({ length: taskCount }, (_, i) => ({
    n: i + 1,
    state: 'pending',
    attempt: 0,
    charged: 0,
    deaths: 0,
    notBefore: 0,
    owner: null,
    leaseUntil: 0,
    records: 0,
  }))
  memories: Memory[] = []

  runnable = (): ModelTask[] => this.tasks.filter(task => task.state === 'pending' && task.notBefore === 0)
  held = (): ModelTask[] => this.tasks.filter(task => task.owner !== null)
  heldBy = ({ n, attempt, owner }: Memory): ModelTask | undefined =>
    this.tasks.find(task => task.n === n && task.attempt === attempt && task.owner === owner)

  move(task: ModelTask, to: TaskState, change: Partial<ModelTask> = {}): void {
    Object.assign(task, { state: to, owner: null, ...change })
  }
}

interface Real {
  store: Store
  clock: FakeClock
  jobId: string
}

type Step = fc.AsyncCommand<Model, Real>

const step = (name: string, run: (model: Model, real: Real) => Promise<void>): Step => ({
  check: () => true,
  toString: () => name,
  run: async (model, real) => {
    const before = await statesOf(real)
    await run(model, real)
    await agree(model, real, before)
  },
})

const statesOf = async ({ store, jobId }: Real) => (await store.tasks.list(jobId)).map(({ state }) => state)

async function agree(model: Model, { store, jobId }: Real, before: TaskState[]): Promise<void> {
  const pick = ({ n, state, attempt, charged, notBefore }: ModelTask) => ({
    n,
    state,
    attempt,
    charged,
    notBefore,
  })
  const tasks = await store.tasks.list(jobId)
  assert.deepEqual(
    tasks.map(({ n, state, attempt, charged, notBefore }) => ({ n, state, attempt, charged, notBefore })),
    model.tasks.map(pick),
  )
  for (const [i, { state }] of tasks.entries())
    assert.ok(state === before[i] || taskMoves[before[i]!].includes(state), `${before[i]} → ${state}`)
}

const claimStep = (owner: string, limit: number, leaseMs: number): Step =>
  step(`claim(${owner}, ${limit}, ${leaseMs})`, async (model, { store, clock, jobId }) => {
    const untilMs = clock.now() + leaseMs
    const expected = model.runnable().slice(0, limit)

    const claimed = await claim(store, clock, { jobId, owner, limit, untilMs })

    for (const task of expected) {
      model.move(task, 'in_progress', { owner, attempt: task.attempt + 1, leaseUntil: untilMs })
      model.memories.push({ n: task.n, attempt: task.attempt, owner })
    }
    const identity = ({ n, attempt }: { n: number; attempt: number }) => `${n}.${attempt}`
    assert.deepEqual(claimed.map(identity), expected.map(identity))
  })

const extendStep = (owner: string, byMs: number): Step =>
  step(`extend(${owner}, ${byMs})`, async (model, { store, clock }) => {
    const untilMs = clock.now() + byMs
    await store.tasks.extend(owner, untilMs)
    for (const task of model.held())
      if (task.owner === owner) task.leaseUntil = Math.max(task.leaseUntil, untilMs)
  })

const reclaimStep = (afterMs: number, exceptOwner: string | undefined): Step =>
  step(`reclaim(+${afterMs}, ${exceptOwner})`, async (model, { store, clock }) => {
    clock.advance(afterMs)
    const now = clock.now()
    await store.tasks.reclaim({ now, poisonAfter, ...(exceptOwner === undefined ? {} : { exceptOwner }) })
    for (const task of model.held()) {
      const foreign = exceptOwner !== undefined && task.owner !== exceptOwner
      if (task.leaseUntil > now && !foreign) continue
      const deaths = task.deaths + 1
      model.move(task, deaths >= poisonAfter ? 'failed' : 'pending', { deaths })
    }
  })

type Outcome = 'succeeded' | 'failed' | 'retry' | 'throttled'

function settlement(memory: Memory, outcome: Outcome, jobId: string, now: number) {
  const task = { ...memory, jobId }
  if (outcome === 'retry') return retryAt(task, now + 50)
  if (outcome === 'throttled') return retryAt(task, 0, { reason: 'host.throttled', charged: false })
  if (outcome === 'failed') return settlementOf(task, { state: 'failed', reason: 'http.not-found' })
  return settlementOf(task, { records: [newRecord(0)] })
}

const settleStep = (which: number, outcome: Outcome): Step =>
  step(`settle(${which}, ${outcome})`, async (model, { store, clock, jobId }) => {
    const memory = model.memories[which % model.memories.length]
    if (!memory) return
    const task = model.heldBy(memory)
    const settlements = [settlement(memory, outcome, jobId, clock.now())]

    const { lost } = await store.commit({ owner: memory.owner, settlements, discovered: [], hosts: [] })

    assert.equal(lost.length, task ? 0 : 1)
    if (!task) return
    const charged = task.charged + (outcome === 'throttled' ? 0 : 1)
    const notBefore = outcome === 'retry' ? clock.now() + 50 : 0
    const state = outcome === 'retry' || outcome === 'throttled' ? 'pending' : outcome
    model.move(task, state, { charged, notBefore, records: outcome === 'succeeded' ? 1 : 0 })
  })

const releaseStep = (which: number): Step =>
  step(`release(${which})`, async (model, { store, jobId }) => {
    const memory = model.memories[which % model.memories.length]
    if (!memory) return
    await store.tasks.release(memory.owner, [{ ...memory, jobId }])
    const task = model.heldBy(memory)
    if (task) model.move(task, 'pending')
  })

const wakeStep = (afterMs: number): Step =>
  step(`wake(+${afterMs})`, async (model, { store, clock }) => {
    clock.advance(afterMs)
    await store.tasks.wake(clock.now())
    for (const task of model.tasks) if (task.notBefore <= clock.now()) task.notBefore = 0
  })

const cancelStep = (): Step =>
  step('cancel', async (model, { store, jobId }) => {
    const pending = model.tasks.filter(task => task.state === 'pending')
    assert.equal(await store.tasks.endPending(jobId, 'cancelled', 'job.cancelled'), pending.length)
    for (const task of pending) model.move(task, 'cancelled', { notBefore: 0 })
  })

const reopenStep = (): Step =>
  step('reopen', async (model, { store, jobId }) => {
    await store.tasks.reopen(jobId, ['failed', 'cancelled'])
    for (const task of model.tasks)
      if (task.state === 'failed' || task.state === 'cancelled')
        model.move(task, 'pending', { charged: 0, deaths: 0 })
  })

const anyOwner = fc.constantFrom(...owners)
const anyMemory = fc.nat(40)
const anyTime = fc.constantFrom(1, 30, 60, 200)
const anyOutcome = fc.constantFrom<Outcome>('succeeded', 'failed', 'retry', 'throttled')

const steps: fc.Arbitrary<Step>[] = [
  fc.tuple(anyOwner, fc.integer({ min: 1, max: 4 }), anyTime).map(args => claimStep(...args)),
  fc.tuple(anyOwner, fc.integer({ min: 1, max: 4 }), anyTime).map(args => claimStep(...args)),
  fc.tuple(anyOwner, anyTime).map(args => extendStep(...args)),
  fc.tuple(anyTime, fc.option(anyOwner, { nil: undefined })).map(args => reclaimStep(...args)),
  fc.tuple(anyMemory, anyOutcome).map(args => settleStep(...args)),
  fc.tuple(anyMemory, anyOutcome).map(args => settleStep(...args)),
  anyMemory.map(releaseStep),
  anyTime.map(wakeStep),
  fc.constant(cancelStep()),
  fc.constant(reopenStep()),
]

async function countsFit(model: Model, { store, jobId }: Real): Promise<void> {
  const counts = await store.jobs.counts(jobId)
  for (const [state, count] of Object.entries(counts.byState))
    assert.equal(count, model.tasks.filter(task => task.state === state).length, state)
  const records = await store.records.list(jobId, { after: 0, limit: 100 })
  assert.deepEqual(
    records.map(({ n }) => n).toSorted(),
    model.tasks.filter(task => task.records > 0).map(({ n }) => n),
  )
  assert.equal(counts.records, records.length)
}

const directory = mkdtempSync(join(tmpdir(), 'kscrape-leases-'))
after(() => rmSync(directory, { recursive: true }))

test('whatever the order of claim, extend, expire, settle, release, cancel and reopen, no task is lost or given to two workers', async () => {
  const clock = new FakeClock()
  await using store = await openSqliteStore({ path: join(directory, 'store.sqlite'), clock })
  let runs = 0
  const property = fc.asyncProperty(fc.commands(steps, { maxCommands: 40, size: 'max' }), async commands => {
    runs += 1
    const real = { store, clock, jobId: `run-${runs}` }
    const model = new Model()
    await store.jobs.create(newJob(real.jobId), newTasks(taskCount))
    await fc.asyncModelRun(() => ({ model, real }), commands)
    await countsFit(model, real)
    await store.jobs.delete(real.jobId)
  })
  await fc.assert(property, { numRuns: 150 })
})
