// Memory of the host table and of the dispatcher's work for these hosts.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { loadDomainPolicies, policyForHost } from '../../src/config/domain-policies.ts'
import { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import { HostTable } from '../../src/dispatch/host-table.ts'
import { executionPolicy } from '../../src/model/policy/policy.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Megabytes for this many hosts, each with state, a request and waiting work. */
export function tableMemory(hosts: number, nameOf: (index: number) => string): number {
  const policies = loadDomainPolicies()
  const before = heapBytes()
  const table = new HostTable({ policyFor: host => ({ ...policyForHost(policies, host) }) })
  const dispatcher = new Dispatcher({ hosts: table })
  dispatcher.open({
    ...{ id: 'job', createdAt: 0, single: false, policy: executionPolicy.parse({}) },
    ...{ remaining: () => hosts, allowance: () => hosts },
  })
  for (let index = 0; index < hosts; index++) dispatcher.addWork('job', nameOf(index), 10)
  for (const want of dispatcher.plan(0, hosts).claims) {
    dispatcher.used(want, want.limit)
    table.finished(want.host, { startedAt: 0, endedAt: 1, failure: 'http.server-error' }, 1)
  }
  table.takeDirty()
  const used = heapBytes() - before
  if (table.size !== hosts) throw new Error(`${table.size} of ${hosts} hosts`)
  return used / 1e6
}

function heapBytes(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
