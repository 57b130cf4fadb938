// Hosts on their own thread that log when each request arrives: they measure politeness as a site sees it.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ArrivalSite } from './arrivals-thread.ts'

export interface Arrivals extends AsyncDisposable {
  /** The hosts as in a URL: address and port. */
  readonly hosts: string[]
  /** Arrival times of requests in milliseconds, by host, in order. */
  read(): Promise<Map<string, number[]>>
}

/** Every `failEvery`th request gets a 500. Without `robots` there is no robots.txt. */
export async function startArrivals(site: ArrivalSite): Promise<Arrivals> {
  const worker = new Worker(new URL('./arrivals-thread.ts', import.meta.url), { workerData: site })
  const [hosts] = (await once(worker, 'message')) as [string[]]
  return {
    hosts,
    async read() {
      worker.postMessage('read')
      const [times] = (await once(worker, 'message')) as [number[][]]
      return new Map(hosts.map((host, index) => [host, times[index]!]))
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

export interface Pace {
  host: string
  requests: number
  /** The shortest time for `size` consecutive requests, divided by the time that the policy requires. The value 1 is exactly the
   *  policy. */
  fastestWindow: number
  shortestGapMs: number
  /** The number of requests per second, between the first and the last. */
  rate: number
}

export function paceOf(host: string, times: readonly number[], gapMs: number, size = 20): Pace {
  const gaps = times.slice(1).map((at, index) => at - times[index]!)
  const steps = Math.min(size, times.length) - 1
  const spans = times.slice(steps).map((at, index) => at - times[index]!)
  return {
    host,
    requests: times.length,
    fastestWindow: steps < 1 ? Number.POSITIVE_INFINITY : Math.min(...spans) / (steps * gapMs),
    shortestGapMs: Math.min(...gaps),
    rate: ((times.length - 1) / (times.at(-1)! - times[0]!)) * 1_000,
  }
}

export const pacesOf = (arrivals: ReadonlyMap<string, readonly number[]>, gapMs: number): Pace[] =>
  [...arrivals].filter(([, times]) => times.length > 1).map(([host, times]) => paceOf(host, times, gapMs))
