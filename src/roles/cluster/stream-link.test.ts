// Tests lost, late and undelivered messages between processes, and what happens to their job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, settled, type TestContext } from '../../../test/support/coordination.ts'
import { openMemoryQueue } from '../../adapters/memory/queue.ts'
import { type IngestMessage, streams } from '../../model/cluster-messages.ts'
import type { TaskBatch } from '../../model/lane.ts'
import { cancelJob } from '../../pipeline/coordinate/job-states/job-control.ts'
import { releaseTasks } from '../../pipeline/coordinate/release-tasks.ts'
import { commitReports } from '../../pipeline/coordinate/settle/commit-reports.ts'
import { HostShard } from '../../pipeline/coordinate/shards.ts'
import { attemptKey } from '../../pipeline/work/fetch-loop.ts'
import type { StreamContents, StreamEntry, WorkerHeartbeat } from '../../ports/stream-contents.ts'
import { StreamLink } from './stream-link.ts'

const leaseMs = 60_000
const quick = { policy: { rate: 'unlimited', concurrency: 8 } } as const
const worker: WorkerHeartbeat = { name: 'w1', role: 'http-worker', concurrency: 8, held: 0 }

interface Handing {
  link: StreamLink
  workers: WorkerHeartbeat[]
  /** The messages in the stream of plain pages. */
  waiting: StreamEntry<TaskBatch>[]
  /** The names of the streams whose consumers were checked. */
  tidied: string[]
  /** Runs sweeps for this many seconds, and commits the reports that each sweep receives. */
  pass(seconds: number): Promise<void>
}

function openLink(here: TestContext): Handing {
  const { context, clock, delivered } = here
  const waiting: StreamEntry<TaskBatch>[] = []
  const workers = [worker]
  const tidied: string[] = []
  const contents: StreamContents = {
    entries: async stream => (stream === streams.http ? (waiting as never) : []),
    drop: async (_, ids) =>
      void waiting.splice(0, waiting.length, ...waiting.filter(({ id }) => !ids.includes(id))),
    waitingMs: async () => 0,
    resetLag: async () => {},
    forgetReceivers: async stream => void tidied.push(stream),
    signIn: async () => {},
    signOut: async () => {},
    workers: async () => workers,
    [Symbol.asyncDispose]: async () => {},
  }
  const ingestQueue = openMemoryQueue<IngestMessage>({ clock, leaseMs })
  const link = new StreamLink({ contents, ingestQueue, leaseMs, leastConcurrency: 8 })
  here.useRemoteWorkers(link)
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000)
      await link.sweep(context)
      await commitReports(context, delivered.splice(0))
    }
  }
  return { link, workers, waiting, tidied, pass }
}

async function release({ context }: TestContext): Promise<void> {
  await releaseTasks(context, 100)
  await settled()
}

test('a task that is in no stream is sent again, unless a worker reports that it runs the task', async () => {
  await using here = await openTestContext(quick)
  const { context, clock } = here
  const { link, pass } = openLink(here)
  const job = await here.adopt({ urls: ['https://a.example/1', 'https://b.example/1'] })
  await release(here)
  const [first] = [...context.inFlight.values()]

  for (let second = 0; second < 60; second++) {
    link.heardInHand([attemptKey(first!.task)], clock.now())
    await pass(1)
  }

  assert.deepEqual([...context.inFlight.values()], [first])
  assert.deepEqual([job.inFlight, job.open, context.dispatcher.workOf(job.id)], [1, 2, 1])
})

test('a task whose end was never reported is found in the store, and frees its slot', async () => {
  await using here = await openTestContext(quick)
  const { context, clock } = here
  const { pass } = openLink(here)
  const job = await here.adopt({ urls: ['https://a.example/1'] })
  await release(here)
  const tasks = [...context.inFlight.values()].map(({ task }) => task)
  await context.store.tasks.release(context.settings.owner, tasks)
  await context.store.tasks.endPending(job.id, 'skipped', 'budget.max-pages')

  await pass(60)

  assert.deepEqual([context.inFlight.size, job.inFlight, job.open], [0, 0, 0])
  assert.equal(context.hosts.view('a.example', clock.now())?.inFlight, 0)
})

test('if a job is cancelled while no worker runs, the job waits neither for its messages nor for a robots.txt', async () => {
  await using here = await openTestContext(quick)
  const { context, clock } = here
  const { workers, waiting, pass } = openLink(here)
  const asked = Promise.withResolvers<void>()
  const { fetchRobots } = context.lanes
  context.lanes.fetchRobots = (origin, ...rest) =>
    (origin === 'https://b.example' ? asked.promise : Promise.resolve()).then(() =>
      fetchRobots(origin, ...rest),
    )
  const job = await here.adopt({ urls: ['https://a.example/1', 'https://b.example/1'] })
  await release(here)
  const tasks = await here.sent()
  waiting.push({ id: '1-1', body: { owner: context.settings.owner, tasks }, isTaken: false })
  workers.splice(0)

  await cancelJob(context, job)
  await pass(20)

  assert.deepEqual([context.inFlight.size, job.inFlight, waiting.length], [0, 0, 0])
  asked.resolve()
  await settled()
  assert.deepEqual(await here.sent(), [], 'the late response starts nothing')
  assert.equal(context.hosts.view('b.example', clock.now())?.inFlight, 0)
})

test('one shard looks for dead stream consumers once a minute', async () => {
  await using here = await openTestContext(quick)
  const { tidied, pass } = openLink(here)
  await pass(58)
  assert.deepEqual(tidied.toSorted(), Object.values(streams).toSorted())
  await pass(60)
  assert.equal(tidied.length, 2 * Object.values(streams).length)
  here.context.shards = new HostShard({ index: 1, count: 2 }, { work: () => {}, ended: () => {} })
  await pass(120)
  assert.equal(tidied.length, 2 * Object.values(streams).length)
})
