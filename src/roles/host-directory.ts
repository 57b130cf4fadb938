// Hosts as a running engine knows them, and what is set for them put in force at once.

import type { Coordinator } from '../pipeline/coordinate/coordinator.ts'
import { refreshConduct } from '../pipeline/coordinate/refresh-conduct.ts'
import { type HostReportParts, hostReport, listHostReports } from '../pipeline/report/host-report.ts'
import type { HostDirectory } from '../server/parts.ts'

export function hostDirectory(coordinator: Coordinator, userAgent: string): HostDirectory {
  const { desk } = coordinator
  const parts = (): HostReportParts => ({
    ...{ store: desk.store, hosts: desk.hosts, crawlList: desk.crawlList, userAgent },
    policyFor: desk.policyFor,
    now: desk.clock.now(),
  })
  return {
    report: host => hostReport(parts(), host),
    list: page => listHostReports(parts(), page),
    get usualPace() {
      const { rate, burst } = desk.policyFor('')
      return { rate, burst }
    },
    refresh: () =>
      coordinator.inTurn(async () => {
        delete desk.conductVersion
        await refreshConduct(desk)
      }),
  }
}
