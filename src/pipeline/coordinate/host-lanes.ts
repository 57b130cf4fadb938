// Which lane gets the tasks of a host with a rate. The lane spaces them, so a host keeps its lane while it has requests in flight.
import { hashOf } from '../../lib/text/string-hash.ts'

export class HostLanes {
  #count = 1
  /** Hosts that had requests in flight when the number of lanes changed, with their lanes. Only these lanes know when the last
   *  request to the host was sent. */
  #staying = new Map<string, number>()

  /** Call this before each batch. `busy` are the hosts that have tasks in flight. */
  useLanes(count: number, busy: () => Iterable<string>): void {
    if (count === this.#count) return
    this.#staying = new Map(Array.from(busy(), host => [host, this.#laneNow(host)]))
    this.#count = count
  }

  /** The lane of a host. `isBusy` says whether the host has requests in flight that were sent before. */
  laneOf(host: string, isBusy: () => boolean): number {
    if (this.#staying.has(host) && !isBusy()) this.#staying.delete(host)
    return this.#laneNow(host)
  }

  #laneNow(host: string): number {
    return this.#staying.get(host) ?? hashOf(host) % this.#count
  }
}
