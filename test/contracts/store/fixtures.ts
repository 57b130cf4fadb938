// Fixtures of the store contract: small jobs, tasks and outcomes.
import { FakeClock } from '../../../src/lib/clocks.ts'
import { jobSpec } from '../../../src/model/job.ts'
import type { NewRecord } from '../../../src/model/record.ts'
import type { Attempt, LeasedTask, NewTask } from '../../../src/model/task.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type {
  CommitGroup,
  CommitResult,
  Discovery,
  NewJob,
  Settlement,
  Store,
} from '../../../src/ports/store.ts'

export type OpenStore = (clock: Clock) => Promise<Store>

export const owner = 'worker-1'
export const host = 'shop.example'
export const leaseMs = 60_000

export const newJob = (id = 'job', change: Partial<NewJob> = {}): NewJob => ({
  id,
  kind: 'crawl',
  spec: jobSpec.parse({ seedUrls: ['https://shop.example/'] }),
  ingest: { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 },
  createdAt: 1_000,
  ...change,
})

export const newTask = (key: number | bigint, change: Partial<NewTask> = {}): NewTask => ({
  key: BigInt(key),
  kind: 'page',
  url: `https://${change.host ?? host}/${key}`,
  host,
  depth: 0,
  priority: 0,
  parent: null,
  input: null,
  itemId: null,
  ...change,
})

export const newTasks = (count: number, change: Partial<NewTask> = {}): NewTask[] =>
  Array.from({ length: count }, (_, index) => newTask(index + 1, change))

export const newRecord = (index = 0, change: Partial<NewRecord> = {}): NewRecord => ({
  index,
  data: JSON.stringify({ name: `thing ${index}` }),
  provenance: null,
  finalUrl: 'https://shop.example/final',
  status: 200,
  fetchedAt: 5_000,
  scraper: 'page@1',
  way: null,
  ...change,
})

export const newAttempt = (attempt: number, change: Partial<Attempt> = {}): Attempt => ({
  attempt,
  startedAt: 4_000,
  endedAt: 5_000,
  outcome: 'ok',
  message: null,
  status: 200,
  worker: 'lane-1',
  proxy: null,
  bytes: 100,
  raw: null,
  way: 'http',
  artifacts: [],
  readMs: 3,
  storeMs: 20,
  ...change,
})

type Held = Pick<LeasedTask, 'jobId' | 'n' | 'attempt'>

/** The report of a success without records, with the changes that the test needs. */
export const settlementOf = (task: Held, change: Partial<Settlement> = {}): Settlement => ({
  jobId: task.jobId,
  n: task.n,
  attempt: task.attempt,
  state: 'succeeded',
  reason: 'ok',
  message: null,
  notBefore: 0,
  charged: true,
  history: newAttempt(task.attempt, { outcome: change.reason ?? 'ok' }),
  records: [],
  identity: { canonical: null, content: null },
  ...change,
})

/** A link that a task found. */
export const discoveryOf = (
  { jobId, n, attempt }: Held,
  found: Partial<Pick<Discovery, 'tasks' | 'refused'>>,
): Discovery => ({ jobId, n, attempt, tasks: [], refused: {}, ...found })

export const retryAt = (task: Held, notBefore: number, change: Partial<Settlement> = {}): Settlement =>
  settlementOf(task, { state: 'pending', reason: 'fetch.timeout', notBefore, ...change })

export const failure = (task: Held): Settlement =>
  settlementOf(task, { state: 'failed', reason: 'http.not-found', message: 'there is no such page' })

export const commit = (store: Store, group: Partial<CommitGroup>): Promise<CommitResult> =>
  store.commit({ owner, settlements: [], discovered: [], hosts: [], ...group })

/** Settles tasks leased by `owner`. */
export const settle = (store: Store, ...settlements: Settlement[]): Promise<CommitResult> =>
  commit(store, { settlements })

export interface ClaimOptions {
  jobId?: string
  host?: string
  limit?: number
  owner?: string
  untilMs?: number
  state?: 'queued' | 'in_progress'
}

export function claim(store: Store, clock: Clock, options: ClaimOptions = {}): Promise<LeasedTask[]> {
  const want = { jobId: options.jobId ?? 'job', host: options.host ?? host, limit: options.limit ?? 1_000 }
  return store.tasks.claim([want], {
    owner: options.owner ?? owner,
    untilMs: options.untilMs ?? clock.now() + leaseMs,
    state: options.state ?? 'in_progress',
  })
}

export const numbersOf = (tasks: ReadonlyArray<{ n: number }>): number[] => tasks.map(({ n }) => n)

/** A new store with one running job that has `count` tasks on one host. */
export async function openWithJob(open: OpenStore, count: number) {
  const clock = new FakeClock()
  const store = await open(clock)
  await store.jobs.create(newJob(), newTasks(count))
  await store.jobs.move('job', ['pending'], 'running')
  return { store, clock, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}
