// Meeting a host: what an earlier run knew of it is taken up before it is asked anything.
import type { HostState } from '../../model/host.ts'
import type { Desk } from './desk.ts'

/** The run before may have asked right until it ended, so a full gap is kept from our own start. */
export async function loadHostState(desk: Desk, host: string): Promise<void> {
  if (host === '' || desk.hosts.knows(host)) return
  const state = await desk.store.hosts.get(host)
  if (!desk.hosts.knows(host)) meet(desk, host, state)
}

/** Many at once: a job may come with a million of them. */
export async function loadHostStates(desk: Desk, hosts: readonly string[]): Promise<void> {
  const unmet = [...new Set(hosts)].filter(host => host !== '' && !desk.hosts.knows(host))
  for (let at = 0; at < unmet.length; at += metAtOnce) {
    const some = unmet.slice(at, at + metAtOnce)
    const known = new Map((await desk.store.hosts.many(some)).map(state => [state.host, state]))
    for (const host of some) if (!desk.hosts.knows(host)) meet(desk, host, known.get(host) ?? null)
  }
}

const metAtOnce = 1_000

function meet(desk: Desk, host: string, state: HostState | null): void {
  if (state) desk.hosts.restore(withoutRobotsPause(state), desk.startedAt)
  else desk.hosts.restore(unknownHost(host))
}

/** What robots.txt is worth is asked of the store, or of the site, by whoever meets the host first. */
const withoutRobotsPause = (state: HostState): HostState =>
  state.pauseReason === 'robots.unreachable' ? { ...state, pausedUntil: 0, pauseReason: null } : state

const unknownHost = (host: string): HostState => ({
  host,
  nextAt: 0,
  rateFactor: 1,
  slowUntil: 0,
  pausedUntil: 0,
  pauseReason: null,
  breaker: 'closed',
  breakerUntil: 0,
  window: [],
  lastError: null,
  lastErrorAt: null,
  requests: 0,
  failures: 0,
})
