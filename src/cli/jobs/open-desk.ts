// Where jobs are looked at: at a service where one is named, else in the data directory.
import type { CommonFlags } from '../flags/flags.ts'
import { serviceFor } from '../service.ts'
import type { JobDesk } from './job-desk.ts'

export async function openDesk(flags: CommonFlags): Promise<JobDesk> {
  const service = await serviceFor(flags)
  if (service) return (await import('./service-desk.ts')).serviceDesk(service)
  return (await import('./local-desk.ts')).localDesk(flags)
}
