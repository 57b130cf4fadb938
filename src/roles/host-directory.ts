// Hosts as a running engine knows them, and what is set for them put in force at once.

import type { Coordinator } from '../pipeline/coordinate/coordinator.ts'
import { refreshConduct } from '../pipeline/coordinate/refresh-conduct.ts'
import { type HostReportParts, hostReport, listHostReports } from '../pipeline/report/host-report.ts'
import type { HostDirectory } from '../server/parts.ts'

export function hostDirectory(coordinator: Coordinator, userAgent: string): HostDirectory {
  const { context } = coordinator
  const parts = (): HostReportParts => ({
    ...{ store: context.store, hosts: context.hosts, crawlList: context.crawlList, userAgent },
    policyFor: context.policyFor,
    now: context.clock.now(),
  })
  return {
    report: host => hostReport(parts(), host),
    list: page => listHostReports(parts(), page),
    get usualPace() {
      const { rate, burst } = context.policyFor('')
      return { rate, burst }
    },
    refresh: () =>
      coordinator.inTurn(async () => {
        delete context.conductVersion
        await refreshConduct(context)
      }),
  }
}
