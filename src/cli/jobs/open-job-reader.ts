// Opens a job reader: for a service if one is named, otherwise for the data directory.
import type { CommonFlags } from '../flags/flags.ts'
import { serviceFor } from '../service.ts'
import type { JobReader } from './job-reader.ts'

export async function openJobReader(flags: CommonFlags): Promise<JobReader> {
  const service = await serviceFor(flags)
  if (service) return (await import('./service-jobs.ts')).serviceJobs(service)
  return (await import('./local-jobs.ts')).localJobs(flags)
}
