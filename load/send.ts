// The open loop: each request is sent when it is due, and its latency counts from then. A loop that waits for responses would
// omit exactly the slow requests.
import { performance } from 'node:perf_hooks'
import { Latencies } from './histogram.ts'
import { ScenarioCounts } from './scenario-counts.ts'
import { type ScenarioName, scenarios, type World } from './scenarios.ts'

export interface Sent {
  due: number
  dropped: number
  seconds: number
  all: ScenarioCounts
  late: Latencies
  byScenario: Record<ScenarioName, ScenarioCounts>
}

export interface Sending {
  /** Times in milliseconds from the start. */
  arrivals: Iterable<number>
  choose: () => ScenarioName
  mostInFlight: number
  /** Called once a second. */
  progress: (sent: Sent, inFlight: number) => void
}

export async function send(world: World, sending: Sending, stop: AbortSignal): Promise<Sent> {
  const sent: Sent = {
    ...{ due: 0, dropped: 0, seconds: 0, all: new ScenarioCounts(), late: new Latencies() },
    byScenario: {
      status: new ScenarioCounts(),
      results: new ScenarioCounts(),
      submit: new ScenarioCounts(),
      scrape: new ScenarioCounts(),
    },
  }
  const startedAt = performance.now()
  const underWay = new Set<Promise<void>>()
  const tell = () => {
    sent.seconds = (performance.now() - startedAt) / 1_000
    sending.progress(sent, underWay.size)
  }
  const telling = setInterval(tell, 1_000)
  for (const atMs of sending.arrivals) {
    const dueAt = startedAt + atMs
    await until(dueAt, stop)
    if (stop.aborted) break
    sent.due += 1
    if (underWay.size >= sending.mostInFlight) {
      sent.dropped += 1
      continue
    }
    const done = sendOne(world, sent, sending.choose(), dueAt).finally(() => underWay.delete(done))
    underWay.add(done)
  }
  await Promise.all(underWay)
  clearInterval(telling)
  tell()
  return sent
}

async function sendOne(world: World, sent: Sent, name: ScenarioName, dueAt: number): Promise<void> {
  const sentAt = performance.now()
  sent.late.add(Math.max(0, sentAt - dueAt))
  const { error } = await scenarios[name](world, sent.due)
  const endedAt = performance.now()
  const answer = { error, latencyMs: endedAt - Math.min(dueAt, sentAt), serviceMs: endedAt - sentAt }
  sent.byScenario[name].add(answer)
  sent.all.add(answer)
}

/** Waits until `dueAt`. Even if that time has passed, it lets the event loop run once, so that responses are read. */
async function until(dueAt: number, stop: AbortSignal): Promise<void> {
  const waitMs = dueAt - performance.now()
  if (waitMs < 1) return new Promise(resolve => setImmediate(resolve))
  await new Promise<void>(resolve => {
    const timer = setTimeout(done, waitMs)
    function done(): void {
      clearTimeout(timer)
      stop.removeEventListener('abort', done)
      resolve()
    }
    stop.addEventListener('abort', done)
  })
}
