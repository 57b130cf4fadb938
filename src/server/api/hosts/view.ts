// The JSON form of a host.
import type { HostReport } from '../../../pipeline/report/host-report.ts'
import { isoTime, isoTimeOrNull } from '../../responses.ts'
import type { RecentErrors } from './recent-errors.ts'

export function shownHost(report: HostReport, errors: RecentErrors) {
  const { host, policy, rateNow, rateFactor, crawlDelayMs, denied, inFlight, requests, failures } = report
  const { paused, waits, breaker, robots } = report
  return {
    ...{ host, rateNow, rateFactor, crawlDelayMs, policy, denied, inFlight, requests, failures },
    policySet: policySetOf(report),
    paused: paused && { ...paused, until: isoTimeOrNull(paused.until), at: isoTime(paused.at) },
    breaker: { state: breaker.state, until: isoTimeOrNull(breaker.until) },
    waits: waits && { reason: waits.reason, until: isoTimeOrNull(waits.until) },
    lastErrors: errorsOf(report, errors),
    robots: robots.map(entry => ({
      ...entry,
      fetchedAt: isoTime(entry.fetchedAt),
      expiresAt: isoTime(entry.expiresAt),
    })),
  }
}

function policySetOf({ override }: HostReport) {
  if (!override?.policy) return null
  const { policy, by, at } = override
  return { policy: policy as Record<string, unknown>, by, at: isoTime(at) }
}

/** The errors of the host that this process saw. If it saw none, for example after a restart, the stored last error. */
function errorsOf({ host, lastError }: HostReport, errors: RecentErrors) {
  const seen = errors.of(host).map(({ code, message, at }) => ({ code, message, at: isoTime(at) }))
  if (seen.length > 0 || !lastError) return seen
  return [{ code: lastError.code, message: null, at: isoTimeOrNull(lastError.at) }]
}
