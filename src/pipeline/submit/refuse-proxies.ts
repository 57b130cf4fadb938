// Checks the proxies of a job before it is accepted: allowed addresses and known providers.
import type { EgressGate } from '../../fetch/http/index.ts'
import { jobProxies, noProxies, type OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { JobSpec } from '../../model/job.ts'
import { refuseRendering, refuseTaskProxies } from './row-policy.ts'

export function refuseProxies(
  { gate, operatorProxies = noProxies }: { gate: EgressGate; operatorProxies?: OperatorProxies | undefined },
  spec: JobSpec,
): void {
  const { proxy } = spec.policy
  const { endpoints } = jobProxies(operatorProxies, proxy)
  if (proxy.urls) for (const { host, port, name } of endpoints ?? []) judgePlace(gate, host, port, name)
  if (endpoints?.some(({ isUnlocker }) => isUnlocker)) refuseRendering(spec)
  for (const [index, { policy }] of (spec.items ?? []).entries())
    if (policy) inItem(index, () => refuseTaskProxies(spec, policy, operatorProxies))
}

function inItem(index: number, judge: () => void): void {
  try {
    judge()
  } catch (cause) {
    const { code, message, details } = asFailure(cause)
    const path = `items[${index}].${details.path ?? 'policy.proxy'}`
    throw new Failure(code, `items[${index}].${message}`, { ...details, path }, { cause })
  }
}

/** Checks the address as written. The IP address that a name resolves to is checked later, at the connection. */
function judgePlace(gate: EgressGate, host: string, port: number, name: string): void {
  try {
    gate.judgeHost(host, port)
  } catch (cause) {
    const { code, details } = cause as Failure
    throw new Failure(
      code,
      `policy.proxy.urls: ${name} is an address that jobs may not use as a proxy; the operator can add it to SCRAPER_PROXIES`,
      { ...details, path: 'policy.proxy.urls' },
      { cause },
    )
  }
}
