// Loads the stored state of a host before the first request to it.
import type { HostState } from '../../../model/host.ts'
import type { CoordinatorContext } from '../context.ts'

/** Dependencies for loading the state of hosts. */
export type HostStateContext = Pick<CoordinatorContext, 'hosts' | 'store' | 'startedAt'>

/** Loads the state of one host. An earlier process may have sent a request just before this process started, so the first request
 *  waits for a full interval after our start. */
export async function loadHostState(context: HostStateContext, host: string): Promise<void> {
  if (host === '' || context.hosts.knows(host)) return
  const state = await context.store.hosts.get(host)
  if (!context.hosts.knows(host)) meet(context, host, state)
}

/** Loads the states of many hosts in batches, because a job may have a million hosts. */
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

/** Removes a pause that was set because robots.txt was unreachable. The pause is not needed, because the first task of
 *  the host loads robots.txt again. */
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
