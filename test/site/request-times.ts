// Calculates from the log of a site when requests arrived, and how many were in flight.
import type { RequestLogEntry } from '../../src/demo-site/index.ts'

/** The times between consecutive requests, in milliseconds. */
export function gapsMs(requests: readonly RequestLogEntry[]): number[] {
  const arrivals = requests.map(request => request.at).sort((a, b) => a - b)
  return arrivals.slice(1).map((at, index) => at - arrivals[index]!)
}

/** Maximum number of requests that were in flight at the same moment. */
export function maxInFlight(requests: readonly RequestLogEntry[]): number {
  const starts = requests.map(({ at }) => ({ at, change: 1 }))
  const ends = requests.map(({ endedAt }) => ({ at: endedAt ?? Number.POSITIVE_INFINITY, change: -1 }))
  let now = 0
  let most = 0
  // At equal times, ends count before starts, because the client may have sent the second request when the first one ended.
  for (const { change } of [...starts, ...ends].sort((a, b) => a.at - b.at || a.change - b.change)) {
    now += change
    most = Math.max(most, now)
  }
  return most
}
