// What a browser would send in a job's name: one set of headers for each region, for jobs that ask for that.
import { type HeaderSet, headerSetOf, openGenerator } from '../fetch/http/index.ts'
import type { LaneJob } from '../model/lane.ts'

/** Undefined for jobs that say who they are. The generator is loaded with the first request. */
export function browserHeaders({
  spec,
  browserVersion: version,
}: LaneJob): ((region: string | null) => Promise<HeaderSet>) | undefined {
  if (version === undefined) return undefined
  const { mobile } = spec.rendering
  const sets = new Map<string | null, Promise<HeaderSet>>()
  let generator: ReturnType<typeof openGenerator> | null = null
  return region => {
    generator ??= openGenerator()
    const set = sets.get(region) ?? generator.then(made => headerSetOf(made, { version, mobile, region }))
    sets.set(region, set)
    return set
  }
}
