// A lane's thread: opens its own lane and answers the main thread.
import { parentPort, workerData } from 'node:worker_threads'
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'
import { Failure, type FailureJson } from '../../model/failures.ts'
import type { JobLimit } from '../../model/lane.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import { neverLapses, type PermitRequest } from '../../ports/permits.ts'
import { loadScrapers } from '../scrapers/scraper-files.ts'
import type { FromLane, LaneStart, ToLane } from './lane-messages.ts'
import { openLane } from './open-lane.ts'

const port = parentPort!
const start = workerData as LaneStart
const waiting = new Map<number, PromiseWithResolvers<number>>()
let nextId = 1

const tell = (message: FromLane): void => port.postMessage(message)

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

async function askPermit(request: PermitRequest, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted()
  const answer = Promise.withResolvers<number>()
  const id = nextId++
  const stop = () => answer.reject(signal.reason)
  waiting.set(id, answer)
  onAbort(signal, stop)
  tell({ say: 'ask-permit', id, request })
  try {
    return await answer.promise
  } finally {
    waiting.delete(id)
    offAbort(signal, stop)
  }
}

function permitAnswered(id: number, failure: FailureJson | null): void {
  const answer = waiting.get(id)
  waiting.delete(id)
  if (failure) answer?.reject(Failure.from(failure))
  else answer?.resolve(neverLapses)
}

const opened = await openLane(start, {
  askPermit,
  report: reports => tell({ say: 'reports', reports, cpuMs: cpuMs() }),
  emit: (name, event) => tell({ say: 'event', name, event }),
  registry: await loadScrapers(start.scraperFiles),
})

const { lane } = opened

async function robots(
  id: number,
  jobId: string,
  origin: string,
  identity: TaskIdentity | null,
): Promise<void> {
  tell({ say: 'robots', id, report: await lane.fetchRobots(jobId, origin, identity) })
}

async function limitJobs(id: number, limits: JobLimit[], part: number): Promise<void> {
  const returned = lane.returnTasks(part)
  await lane.limitJobs(limits)
  tell({ say: 'limited', id, returned })
}

async function tryBrowser(id: number): Promise<void> {
  tell({ say: 'browser-tried', id, works: await opened.tryBrowser() })
}

// Send a first message, because it shows the main thread that this thread runs.
tell({ say: 'pong', cpuMs: cpuMs() })

port.on('message', (message: ToLane) => {
  if (message.say === 'run') lane.run(message.batch)
  else if (message.say === 'permit') permitAnswered(message.id, message.failure)
  else if (message.say === 'open-job') lane.openJob(message.job)
  else if (message.say === 'close-job') void lane.closeJob(message.jobId)
  else if (message.say === 'cancel-job') lane.cancelJob(message.jobId)
  else if (message.say === 'limit-jobs') void limitJobs(message.id, message.limits, message.part)
  else if (message.say === 'fetch-robots')
    void robots(message.id, message.jobId, message.origin, message.identity)
  else if (message.say === 'try-browser') void tryBrowser(message.id)
  else if (message.say === 'ping') tell({ say: 'pong', cpuMs: cpuMs() })
  else void stop()
})

async function stop(): Promise<void> {
  for (const answer of waiting.values())
    answer.reject(new Failure('worker.stopping', 'the worker is stopping'))
  await opened[Symbol.asyncDispose]()
  tell({ say: 'stopped' })
  port.close()
}
