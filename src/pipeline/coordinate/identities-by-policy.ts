// The identities of a job's tasks, by host and by task. Tasks with equal policies share and rotate the same identities.
import type { KnownHostPolicy } from '../../dispatch/host-table.ts'
import type { JobIdentities } from '../../fetch/proxies/job-identities.ts'
import type { ProxySet } from '../../fetch/proxies/proxy-set.ts'
import type { ExecutionPolicy, TaskPolicy } from '../../model/policy/policy.ts'
import type { ProxyPolicy, TaskIdentity } from '../../model/policy/proxy.ts'
import type { LeasedTask } from '../../model/task.ts'

/** The part of a policy that decides about proxies and identities. */
export type ProxyIdentityPolicy = Pick<ExecutionPolicy, 'proxy' | 'identity'>

interface IdentitiesByPolicyParts {
  /** The job's own policy. */
  policy: ProxyIdentityPolicy
  /** Creates the identities for a policy. Null if there is nothing to choose, because the policy has one identity, no
   *  proxy and one fetch mode. */
  open: (policy: ProxyIdentityPolicy) => JobIdentities | null
  policyOf: (host: string) => KnownHostPolicy
  /** Called once for each host whose policy differs from the job's. */
  otherwise: (host: string, policy: ProxyIdentityPolicy) => void
  /** The policy of a task at a host, including the task's own overrides. */
  policyAt: (host: KnownHostPolicy, own: string | null) => ProxyIdentityPolicy
}

interface Group {
  identities: JobIdentities | null
  proxy: ProxyPolicy
}

type AskedTask = Pick<LeasedTask, 'host' | 'policy'>

export class IdentitiesByPolicy {
  readonly #parts: IdentitiesByPolicyParts
  readonly #groups = new Map<string, Group>()
  readonly #byHost = new WeakMap<KnownHostPolicy, Group>()
  readonly #own: Group

  constructor(parts: IdentitiesByPolicyParts) {
    this.#parts = parts
    this.#own = this.#groupOf(parts.policy)
  }

  /** The identities for the tasks of a host; null if there is nothing to choose (see `open`). */
  at(host: string): JobIdentities | null {
    return this.#groupAt(host).identities
  }

  of({ host, policy }: AskedTask): JobIdentities | null {
    if (!saysWho(policy)) return this.at(host)
    const { policyOf, policyAt } = this.#parts
    return this.#groupOf(policyAt(policyOf(host), policy!)).identities
  }

  /** Whether the task's own policy gives the task other identities than the policy of its host does. */
  isOther(task: AskedTask): boolean {
    return saysWho(task.policy) && this.of(task) !== this.at(task.host)
  }

  readyAt(host: string, at: number): number {
    return this.at(host)?.readyAt(host, at) ?? at
  }

  /** Chooses an identity for a task of the host. Null if no proxy is available. Undefined if there is nothing to choose
   *  (see `open`). */
  take(host: string, at: number): TaskIdentity | null | undefined {
    return this.at(host)?.take(host, at)
  }

  giveBack(identity: TaskIdentity, host: string): void {
    this.at(host)?.giveBack(identity, host)
  }

  /** Whether all work of the job waits for a healthy proxy. `hosts` returns the hosts with work. */
  isStuck(hosts: () => readonly string[]): boolean {
    const groups = [...this.#groups.values()]
    if (!groups.some(({ identities }) => identities?.noneHealthy)) return false
    if (groups.length === 1) return true
    const named = hosts()
    return named.length > 0 && named.every(host => this.at(host)?.noneHealthy ?? false)
  }

  /** All proxy pools of the job, with their options. */
  get proxySets(): Array<{ proxySet: ProxySet; proxy: ProxyPolicy }> {
    return [...this.#groups.values()].flatMap(({ identities, proxy }) =>
      identities?.proxySet ? [{ proxySet: identities.proxySet, proxy }] : [],
    )
  }

  #groupAt(host: string): Group {
    const known = this.#parts.policyOf(host)
    if (known.proxy === undefined && known.identity === undefined) return this.#own
    const group = this.#byHost.get(known) ?? this.#meet(host, known)
    this.#byHost.set(known, group)
    return group
  }

  #meet(host: string, known: KnownHostPolicy): Group {
    const policy = this.#parts.policyAt(known, null)
    const group = this.#groupOf(policy)
    if (group !== this.#own) this.#parts.otherwise(host, policy)
    return group
  }

  #groupOf({ proxy, identity }: ProxyIdentityPolicy): Group {
    const key = JSON.stringify([proxy, identity])
    const group = this.#groups.get(key) ?? { identities: this.#parts.open({ proxy, identity }), proxy }
    this.#groups.set(key, group)
    return group
  }
}

/** Whether a task's policy (as JSON) sets `proxy` or `identity`. The search for the names avoids parsing most policies. */
function saysWho(text: string | null | undefined): boolean {
  if (!text || !(text.includes('"proxy"') || text.includes('"identity"'))) return false
  const { proxy, identity } = JSON.parse(text) as TaskPolicy
  return proxy !== undefined || identity !== undefined
}
