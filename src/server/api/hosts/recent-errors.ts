// Recent errors of each host that this process saw.
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import type { Events } from '../../../model/events.ts'
import type { ServerParts } from '../../parts.ts'

interface RecentError {
  code: string
  message: string | null
  at: number
}

const rememberedHosts = 2_000
const perHost = 10

export class RecentErrors {
  readonly #hosts = new RecentMap<string, RecentError[]>(rememberedHosts)

  constructor({ engine, clock }: Pick<ServerParts, 'engine' | 'clock'>) {
    engine.listen((name, event) => {
      if (name === 'task.settled') this.#hear(event as Events['task.settled'], clock.now())
    })
  }

  /** The errors of a host, newest first. */
  of(host: string): RecentError[] {
    return this.#hosts.get(host) ?? []
  }

  #hear({ url, state, reason, message }: Events['task.settled'], at: number): void {
    if ((state !== 'failed' && state !== 'pending') || reason === 'ok') return
    const host = URL.parse(url)?.host
    if (host) this.#hosts.set(host, [{ code: reason, message, at }, ...this.of(host)].slice(0, perHost))
  }
}
