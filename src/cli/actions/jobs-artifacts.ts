// kscrape jobs artifacts: lists the artifacts of a job, or writes them to a folder.
import { countOf } from '../../lib/text/units.ts'
import { taskId } from '../../model/ids.ts'
import { artifactsOf, type JobArtifact, writeArtifacts } from '../../pipeline/report/job-artifacts.ts'
import { jobNamed } from '../../roles/local/look-up.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { visit } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { safe } from '../talk.ts'

export async function jobArtifacts(jobId: string, flags: CommonFlags & { output?: string }): Promise<void> {
  const service = await serviceFor(flags)
  if (service) return (await import('../jobs/service-artifacts.ts')).serviceArtifacts(service, jobId, flags)
  await using data = await visit(flags)
  await jobNamed(data, jobId)
  if (flags.output === undefined) {
    for await (const artifact of artifactsOf(data, jobId))
      flags.json ? printJson(factsOf(jobId, artifact)) : print(lineOf(artifact))
    return
  }
  const written = await writeArtifacts(data, jobId, flags.output)
  if (!flags.quiet) process.stderr.write(`wrote ${flags.output} (${countOf(written, 'file')})\n`)
}

const lineOf = ({ taskId: id, file, type, bytes, url }: JobArtifact): string =>
  `${id}  ${file}  ${safe(type)}  ${bytes} bytes  ${safe(url)}`

const factsOf = (jobId: string, { n, url, name, file, fileName, type, bytes }: JobArtifact) => ({
  task_id: taskId(jobId, n),
  url,
  name,
  file,
  file_name: fileName,
  type,
  bytes,
})
