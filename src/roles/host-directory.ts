// Hosts as the API shows them: policy, stored state and, in the leading process, the current state.
import type { HostTable } from '../dispatch/host-table.ts'
import { systemClock } from '../lib/clocks.ts'
import type { ConductRules } from '../pipeline/coordinate/conduct-rules.ts'
import { type HostReportParts, hostReport, listHostReports } from '../pipeline/report/host-report.ts'
import type { Store } from '../ports/store.ts'
import type { HostDirectory } from '../server/parts.ts'

interface HostDirectoryParts {
  store: Store
  conduct: ConductRules
  /** The live host table; only in a process that leads hosts. */
  hosts?: HostTable
  userAgent: string
  /** Applies changed policies and lists in the processes that run the jobs. */
  refresh: () => Promise<void>
}

export function hostDirectory({
  store,
  conduct,
  hosts,
  userAgent,
  refresh,
}: HostDirectoryParts): HostDirectory {
  const parts = async (): Promise<HostReportParts> => {
    // Without a host table, no coordinator in this process refreshes the rules, so refresh them now.
    if (!hosts) await conduct.refresh(store.conduct)
    const { crawlList, policyFor } = conduct
    return { ...{ store, crawlList, policyFor, userAgent }, ...(hosts && { hosts }), now: systemClock.now() }
  }
  return {
    report: async host => hostReport(await parts(), host),
    list: async page => listHostReports(await parts(), page),
    get usualPace() {
      const { rate, burst } = conduct.policyFor('')
      return { rate, burst }
    },
    refresh,
  }
}
