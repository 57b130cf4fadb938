// What a job asks of proxies, judged before it is accepted: places that it may use, providers that there are.
import type { EgressGate } from '../fetch/http/index.ts'
import { jobProxies, noProxies, type OperatorProxies } from '../fetch/proxies/job-proxies.ts'
import { Failure } from '../model/failures.ts'
import type { JobSpec } from '../model/job.ts'
import { renderModeOf } from '../model/render-mode.ts'

export function refuseProxies(
  { gate, operatorProxies = noProxies }: { gate: EgressGate; operatorProxies?: OperatorProxies | undefined },
  spec: JobSpec,
): void {
  const { proxy } = spec.policy
  const { endpoints } = jobProxies(operatorProxies, proxy)
  if (proxy.urls) for (const { host, port, name } of endpoints ?? []) judgePlace(gate, host, port, name)
  if (endpoints?.some(({ isUnlocker }) => isUnlocker)) refuseRendering(spec)
}

/** By its text; what its name leads to is judged when it is connected to. */
function judgePlace(gate: EgressGate, host: string, port: number, name: string): void {
  try {
    gate.judgeHost(host, port)
  } catch (cause) {
    const { code, details } = cause as Failure
    throw new Failure(
      code,
      `policy.proxy.urls: ${name} is at a place that jobs may not use as a proxy; the operator can name it in SCRAPER_PROXIES`,
      { ...details, path: 'policy.proxy.urls' },
      { cause },
    )
  }
}

/** Its certificates are its own, which a browser does not take; what needs scripts it renders itself. */
function refuseRendering(spec: JobSpec): void {
  if (renderModeOf(spec) === 'never') return
  throw new Failure(
    'input.invalid',
    'policy.proxy.type: web-unlocker opens pages by itself, so a browser of ours can’t go through it; leave out render, or take residential',
    { path: 'policy.proxy.type' },
  )
}
