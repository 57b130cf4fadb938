// Meeting a host: what an earlier run knew of it is taken up before it is asked anything.
import type { HostState } from '../../model/host.ts'
import type { CoordinatorContext } from './context.ts'

/** What loading the state of hosts needs. */
export type HostStateContext = Pick<CoordinatorContext, 'hosts' | 'store' | 'startedAt'>

/** The run before may have asked right until it ended, so a full gap is kept from our own start. */
export async function loadHostState(context: HostStateContext, host: string): Promise<void> {
  if (host === '' || context.hosts.knows(host)) return
  const state = await context.store.hosts.get(host)
  if (!context.hosts.knows(host)) meet(context, host, state)
}

/** Many at once: a job may come with a million of them. */
export async function loadHostStates(context: HostStateContext, hosts: readonly string[]): Promise<void> {
  const unmet = [...new Set(hosts)].filter(host => host !== '' && !context.hosts.knows(host))
  for (let at = 0; at < unmet.length; at += metAtOnce) {
    const some = unmet.slice(at, at + metAtOnce)
    const known = new Map((await context.store.hosts.many(some)).map(state => [state.host, state]))
    for (const host of some) if (!context.hosts.knows(host)) meet(context, host, known.get(host) ?? null)
  }
}

const metAtOnce = 1_000

function meet(context: HostStateContext, host: string, state: HostState | null): void {
  if (state) context.hosts.restore(withoutRobotsPause(state), context.startedAt)
  else context.hosts.restore(unknownHost(host))
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
