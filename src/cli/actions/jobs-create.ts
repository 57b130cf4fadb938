// kscrape jobs create: runs a job from a file. Flags override the file.
import { specFromFile } from '../../pipeline/submit/job-input.ts'
import { outputOf } from '../../pipeline/submit/output-of.ts'
import { fetchSpecOf, userAgentSpecOf } from '../flags/flag-spec.ts'
import type { FetchFlags, OutputFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { startJob } from '../jobs/start-job.ts'

export async function createJob(file: string, flags: FetchFlags & OutputFlags): Promise<void> {
  const { settings } = await settingsFor(flags)
  const output = flags.output && { output: flags.output.map(outputOf) }
  const change = { ...fetchSpecOf(flags), ...userAgentSpecOf(flags, settings), ...output }
  await startJob(flags, specFromFile(file, change), {
    command: `jobs create ${file}`,
    mayBeRemote: true,
  })
}
