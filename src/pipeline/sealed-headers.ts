// Headers of a job that could be secrets: sealed in what is stored, opened for whoever sends them.
import { forOtherOrigin } from '../fetch/http/index.ts'
import type { GivenSpec, JobSpec } from '../model/job.ts'
import type { Sealer } from '../ports/secrets.ts'

const mark = 'sealed:v1:'

type WithHeaders = Pick<JobSpec | GivenSpec, 'headers'>

/** `owner` is whose they are: a job's id, a schedule's. Sealed text moved elsewhere can't be opened there. */
export function sealHeaders<Spec extends WithHeaders>(sealer: Sealer, owner: string, spec: Spec): Spec {
  return mapSecret(spec, (name, value) => `${mark}${sealer.seal(value, `${owner} ${name}`)}`)
}

export function openHeaders<Spec extends WithHeaders>(sealer: Sealer, owner: string, spec: Spec): Spec {
  return mapSecret(spec, (name, value) =>
    value.startsWith(mark) ? sealer.open(value.slice(mark.length), `${owner} ${name}`) : value,
  )
}

function mapSecret<Spec extends WithHeaders>(
  spec: Spec,
  change: (name: string, value: string) => string,
): Spec {
  const entries = Object.entries(spec.headers)
  if (!entries.some(([name]) => mayBeSecret(name))) return spec
  const headers = entries.map(([name, value]) => [name, mayBeSecret(name) ? change(name, value) : value])
  return { ...spec, headers: Object.fromEntries(headers) }
}

/** Whatever does not go along to other sites. */
export const mayBeSecret = (name: string): boolean =>
  Object.keys(forOtherOrigin({ [name.toLowerCase()]: '' }, true)).length === 0
