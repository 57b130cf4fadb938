// Seals the secret headers and proxy credentials of a job before it is stored, and opens them for the process that sends them.
import { isHarmless, isOfBody } from '../../fetch/http/index.ts'
import { cutMark } from '../../lib/secrets/secret-forms.ts'
import type { Sealer } from '../../ports/secrets.ts'
import { hideProxies, openProxies, sealProxies } from './sealed-proxies.ts'

const mark = 'sealed:v1:'

/** The spec of a job, or a request body that becomes a spec. */
type MayHaveHeaders = { headers?: unknown; policy?: unknown }

/** Seals the secrets of a spec. `owner` is the id of the job or schedule. Sealed text cannot be opened for another owner. */
export function sealHeaders<Spec extends MayHaveHeaders>(sealer: Sealer, owner: string, spec: Spec): Spec {
  const sealed = mapSecret(spec, (name, value) => `${mark}${sealer.seal(value, `${owner} ${name}`)}`)
  return sealProxies(sealer, owner, sealed)
}

export function openHeaders<Spec extends MayHaveHeaders>(sealer: Sealer, owner: string, spec: Spec): Spec {
  const opened = mapSecret(spec, (name, value) =>
    value.startsWith(mark) ? sealer.open(value.slice(mark.length), `${owner} ${name}`) : value,
  )
  return openProxies(sealer, owner, opened)
}

/** The spec for display: it shows that a secret value exists, but not the value. */
export const hideHeaders = <Spec extends MayHaveHeaders>(spec: Spec): Spec =>
  hideProxies(mapSecret(spec, (_name, value) => (value.startsWith(mark) ? cutMark : value)))

function mapSecret<Spec extends MayHaveHeaders>(
  spec: Spec,
  change: (name: string, value: string) => string,
): Spec {
  const entries = Object.entries((spec.headers ?? {}) as Record<string, string>)
  if (!entries.some(([name]) => mayBeSecret(name))) return spec
  const headers = entries.map(([name, value]) => [name, mayBeSecret(name) ? change(name, value) : value])
  return { ...spec, headers: Object.fromEntries(headers) }
}

/** Whether a header may contain a secret. Such headers are not sent to other sites. */
export const mayBeSecret = (name: string): boolean =>
  !isHarmless(name.toLowerCase()) && !isOfBody(name.toLowerCase())
