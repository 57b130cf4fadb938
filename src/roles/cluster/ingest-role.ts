// ingest: reads the sources of several jobs in parallel, and reports the new tasks to the coordinator.

import { operatorProxies } from '../../config/operator-proxies.ts'
import { EgressGate } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { retryWhileBusy } from '../../lib/retry-while-busy.ts'
import { settledWithin } from '../../lib/settled-within.ts'
import { shardOf } from '../../lib/shard-of.ts'
import { type IngestMessage, streams } from '../../model/cluster-messages.ts'
import { asFailure, type FailureJson } from '../../model/failures.ts'
import { hasEnded } from '../../model/job.ts'
import { RunningJob } from '../../pipeline/coordinate/running-job.ts'
import { type IngestParts, ingestJob } from '../../pipeline/submit/ingest-job.ts'
import { extendLeases, receiveMessages } from '../../pipeline/work/receive-messages.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Delivery, Queue } from '../../ports/queue.ts'
import { coordinatorOf } from './messages.ts'
import { handBackMs, type RoleParts, type Running } from './role.ts'
import { openBlobs, openCalls, openQueue, openStore, processName } from './services.ts'

/** Maximum number of sources that are read in parallel. Each source has one batch in memory. */
const mostAtOnce = 8

interface Parts {
  ingest: Omit<IngestParts, 'added'>
  calls: Calls
  queue: Queue<IngestMessage>
  rules: RoleParts['settings']
  held: Map<string, Promise<void>>
}

export async function ingest(parts: RoleParts): Promise<Running> {
  await using opened = new AsyncDisposableStack()
  const { settings, registry, mark, emit } = parts
  const name = processName('ingest')
  const store = opened.use(await openStore(settings))
  const blobs = opened.use(await openBlobs(settings))
  const calls = opened.use(await openCalls(settings))
  const queue = opened.use(await openQueue<IngestMessage>(settings, streams.ingest, name))
  const stop = new AbortController()
  const gate = new EgressGate({ allowPrivate: settings.allowPrivate })
  const held = new Map<string, Promise<void>>()
  const own: Parts = {
    ingest: {
      ...{ store, blobs, gate, registry, mark, emit, clock: systemClock, stopping: stop.signal },
      policyRules: { ceilings: settings.ceilings, operatorProxies: operatorProxies(settings) },
    },
    ...{ calls, queue, held, rules: settings },
  }
  opened.use(extendLeases(queue, settings.leaseMs, () => held.keys()))
  const running = ingestUntil(own, stop.signal)
  const all = opened.move()
  return {
    name,
    held: () => held.size,
    async stop(graceMs) {
      stop.abort()
      await settledWithin(running, graceMs + handBackMs)
      await all.disposeAsync()
    },
  }
}

async function ingestUntil(parts: Parts, signal: AbortSignal): Promise<void> {
  const { queue, held } = parts
  const from = { queue, clock: systemClock, signal }
  await receiveMessages(from, {
    capacity: () => mostAtOnce - held.size,
    untilCapacity: () => Promise.race(held.values()),
    take: deliveries => {
      for (const delivery of deliveries) begin(parts, delivery)
    },
  })
  await Promise.allSettled(held.values())
}

function begin(parts: Parts, { id, body }: Delivery<IngestMessage>): void {
  const done = retryWhileBusy(systemClock, parts.ingest.stopping, () => readSource(parts, body.jobId))
    .then(isDone => (isDone ? parts.queue.ack([id]) : undefined))
    .catch(error =>
      parts.ingest.emit('notice.given', { jobId: body.jobId, message: asFailure(error).message }),
    )
    .finally(() => parts.held.delete(id))
  parts.held.set(id, done)
}

/** Reads the source of a job. Returns true at its end. Otherwise the queue delivers the job's message again, to this process
 *  or to another. */
async function readSource({ ingest, calls, rules }: Parts, jobId: string): Promise<boolean> {
  const tell = reporterFor(calls, jobId, rules.shards)
  const job = await ingest.store.jobs.get(jobId)
  if (!job || hasEnded(job.state) || job.ingest.done) return tell(true)
  const { kind, workspace, spec } = job
  const lane = { id: jobId, kind, workspace, spec, userAgent: '', cookies: null, slots: 1 }
  const running = new RunningJob(job, lane, await ingest.store.jobs.counts(jobId), rules)
  const added: IngestParts['added'] = async (_, hosts) => {
    const counts = [...hosts].map(([host, count]) => ({ jobId, host, count }))
    await tell(false, null, counts)
    await stopIfCancelled(ingest, running)
  }
  try {
    await ingestJob({ ...ingest, added }, running)
    return ingest.stopping.aborted ? false : tell(true)
  } catch (error) {
    const failure = asFailure(error)
    // The store is down. The next delivery continues where this one stopped.
    if (failure.code === 'store.busy') throw failure
    return tell(true, failure.toJSON())
  }
}

/** Stops reading if the job was cancelled meanwhile. */
async function stopIfCancelled({ store }: Parts['ingest'], running: RunningJob): Promise<void> {
  const job = await store.jobs.get(running.id)
  if (!job || hasEnded(job.state) || job.state === 'finishing') running.cancel()
}

/** Creates a function that reports new tasks and the end of the source to the leader of the job's home shard. */
const reporterFor =
  (calls: Calls, jobId: string, shards: number) =>
  async (
    isDone: boolean,
    failure: FailureJson | null = null,
    added: Array<{ jobId: string; host: string; count: number }> = [],
  ): Promise<boolean> => {
    const update = { jobId, added, isDone, failure }
    await calls.tell(coordinatorOf(shardOf(jobId, shards)), { say: 'source', update }).catch(() => {})
    return isDone
  }
