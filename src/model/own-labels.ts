// Labels in which kscrape stores its own data with a job or schedule. They may contain secrets, so callers cannot see or search
// them. Callers cannot set them, because kscrape trusts their values.
import { Failure } from './failures.ts'

/** The label with the settings of a monitor. */
export const monitorLabel = 'monitor'
/** The label of a job with the Firecrawl request that created it. */
export const requestLabel = 'firecrawl'
/** The label of a monitor with the Firecrawl request that created it. */
export const firecrawlMonitorLabel = 'firecrawl-monitor'

const ownLabels = [monitorLabel, requestLabel, firecrawlMonitorLabel]

const isOwnLabel = (name: string): boolean => ownLabels.includes(name.replace(/\.\d+$/, ''))

/** Throws if a caller sets a label of kscrape. `path` is the field of the labels in the request. */
export function refuseOwnLabels(labels: unknown, path: string): void {
  const own = Object.keys(labels ?? {}).find(isOwnLabel)
  if (own === undefined) return
  const at = `${path}.${own}`
  throw new Failure('input.invalid', `${at}: kscrape uses this label itself; choose another name`, {
    path: at,
  })
}

/** The labels that a caller gave. */
export const withoutOwnLabels = <Value>(labels: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !isOwnLabel(name)))
