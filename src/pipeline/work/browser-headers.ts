// What a browser would send in a job's name: one set of headers for each region, for jobs that ask for that.
import { type HeaderSet, headerSetOf, openGenerator } from '../../fetch/http/index.ts'
import type { LaneJob } from '../../model/lane.ts'

/** The generator is loaded with the first request, and the browser asked for its version. */
export function browserHeaders(
  { spec, browserVersion }: LaneJob,
  versionHere: () => Promise<string>,
): (region: string | null) => Promise<HeaderSet> {
  const { mobile } = spec.rendering
  const sets = new Map<string | null, Promise<HeaderSet>>()
  let ready: Promise<[generator: Awaited<ReturnType<typeof openGenerator>>, version: string]> | null = null
  return region => {
    ready ??= Promise.all([openGenerator(), browserVersion ?? versionHere()])
    const set =
      sets.get(region) ??
      ready.then(([generator, version]) => headerSetOf(generator, { version, mobile, region }))
    sets.set(region, set)
    return set
  }
}
