// Counts of responses: latencies from the time a request was due, errors by code.
import { Latencies } from './histogram.ts'

export interface Answer {
  /** Null on success; otherwise a code like `503 server.busy` or `timeout`. */
  error: string | null
  /** Latency from the time when the request was due: what a caller would have waited, including delays in the runner or its connections. */
  latencyMs: number
  /** Latency from the time when the request was sent. */
  serviceMs: number
}

export class ScenarioCounts {
  readonly latency = new Latencies()
  readonly service = new Latencies()
  readonly errors = new Map<string, number>()

  add({ error, latencyMs, serviceMs }: Answer): void {
    this.latency.add(latencyMs)
    this.service.add(serviceMs)
    if (error !== null) this.errors.set(error, (this.errors.get(error) ?? 0) + 1)
  }

  get count(): number {
    return this.latency.count
  }

  get failed(): number {
    return this.errors.values().reduce((sum, count) => sum + count, 0)
  }
}
