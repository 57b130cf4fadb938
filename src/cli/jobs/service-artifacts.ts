// Lists the artifacts of a service's job, or downloads them to a folder.

import { join } from 'node:path'
import type { Client } from '../../client.ts'
import { countOf } from '../../lib/text/units.ts'
import { parseTaskId } from '../../model/ids.ts'
import { writeFileWhole } from '../../roles/write-file.ts'
import type { CommonFlags } from '../flags/flags.ts'
import { print, printJson } from '../print.ts'
import { safe } from '../talk.ts'

/** The standard files of every item. They are not artifacts. */
const everyItems = new Set(['html', 'data', 'metadata'])

interface Found {
  taskId: string
  itemId: string
  url: string
  name: string
}

export async function serviceArtifacts(
  service: Client,
  jobId: string,
  flags: CommonFlags & { output?: string },
): Promise<void> {
  let written = 0
  for await (const found of artifactsOf(service, jobId)) {
    if (flags.output !== undefined) written += await fetchInto(service, jobId, found, flags.output)
    else if (flags.json) printJson({ task_id: found.taskId, url: found.url, name: found.name })
    else print(`${found.taskId}  ${found.name}  ${safe(found.url)}`)
  }
  if (flags.output !== undefined && !flags.quiet)
    process.stderr.write(`wrote ${flags.output} (${countOf(written, 'file')})\n`)
}

export async function* artifactsOf({ jobs }: Client, jobId: string): AsyncGenerator<Found> {
  for await (const { itemId, taskId, url } of jobs.items(jobId, { pageSize: 1_000 })) {
    const { artifacts } = await jobs.item(jobId, itemId)
    for (const name of artifacts) if (!everyItems.has(name)) yield { taskId, itemId, url, name }
  }
}

export async function fetchInto(
  { jobs }: Client,
  jobId: string,
  found: Found,
  folder: string,
): Promise<number> {
  const file = await jobs.download(jobId, found.itemId, found.name)
  const n = String(parseTaskId(found.taskId)?.n ?? 0)
  await writeFileWhole(join(folder, n, file.fileName.replaceAll('..', '_')), file.stream())
  return 1
}
