// Counts requests per job and host, with the first and last time. The counts are collected during a transaction and written once
// at its end.
import { endedUnasked } from '../model/conduct.ts'
import type { Attempt } from '../model/task.ts'

const unasked: ReadonlySet<string> = new Set(endedUnasked)

/** An SQL list of the reasons of attempts that sent no request. The migration uses it to count the attempts that were stored
 *  before this counter existed. */
export const unaskedList = endedUnasked.map(reason => `'${reason}'`).join(', ')

type PaceRow<Host> = {
  job_no: number
  host: Host
  requests: number
  first_at: number
  last_at: number
}

/** `Host` is the type of the store's host key. */
export class PaceCounter<Host> {
  readonly #jobs = new Map<number, Map<Host, PaceRow<Host>>>()

  add(jobNo: number, host: Host, { outcome, startedAt }: Pick<Attempt, 'outcome' | 'startedAt'>): void {
    if (unasked.has(outcome)) return
    const hosts = this.#jobs.get(jobNo) ?? new Map<Host, PaceRow<Host>>()
    if (hosts.size === 0) this.#jobs.set(jobNo, hosts)
    const pace = hosts.get(host)
    if (pace) {
      pace.requests += 1
      pace.first_at = Math.min(pace.first_at, startedAt)
      pace.last_at = Math.max(pace.last_at, startedAt)
    } else hosts.set(host, { job_no: jobNo, host, requests: 1, first_at: startedAt, last_at: startedAt })
  }

  rows(): PaceRow<Host>[] {
    return [...this.#jobs.values()].flatMap(hosts => [...hosts.values()])
  }
}
