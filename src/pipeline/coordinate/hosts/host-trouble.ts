// Explains why a host gets fewer requests than its rate allows.
import { formatWait } from '../../../lib/text/units.ts'
import type { HostState } from '../../../model/host.ts'

/** The reasons as text. Empty if the host has its full rate. */
export function hostTrouble(host: HostState, now: number): string[] {
  const lines: string[] = []
  if (host.pausedUntil > now)
    lines.push(
      `${host.host} is paused${host.pauseReason ? ` (${host.pauseReason})` : ''} for ${formatWait(host.pausedUntil, now)}`,
    )
  if (host.breaker !== 'closed') {
    const rest =
      host.breaker === 'open' && host.breakerUntil > now
        ? `; the next request is sent in ${formatWait(host.breakerUntil, now)}`
        : ''
    lines.push(
      `the breaker of ${host.host} is ${host.breaker}${host.lastError ? ` after ${host.lastError}` : ''}${rest}`,
    )
  }
  if (host.rateFactor < 1)
    lines.push(`${host.host} is slowed down to ${Math.round(host.rateFactor * 100)} % of its rate`)
  return lines
}
