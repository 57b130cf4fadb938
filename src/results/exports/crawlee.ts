// Exports a job's records in the layout of Crawlee's datasets: a folder with one numbered JSON file per record.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import { recordJson } from './page-note.ts'
import { recordBatches } from './record-batches.ts'
import type { ExportParts } from './source.ts'

const filesAtOnce = 64

/** `folder` is Crawlee's storage folder; the dataset is `datasets/default` in it. Other files are not changed. */
export async function writeCrawlee({ store }: ExportParts, job: Job, folder: string): Promise<number> {
  const dataset = join(folder, 'datasets', 'default')
  await refuseOthers(dataset)
  await mkdir(dataset, { recursive: true })
  let count = 0
  for await (const batch of recordBatches(store.records, job.id))
    for (let at = 0; at < batch.length; at += filesAtOnce) {
      const some = batch.slice(at, at + filesAtOnce)
      await Promise.all(
        some.map((record, index) =>
          writeFile(fileOf(dataset, count + index + 1), `${recordJson(record, job.spec.results?.input)}\n`),
        ),
      )
      count += some.length
    }
  await writeFile(join(dataset, metadataFile), metadataOf(job, count))
  return count
}

const metadataFile = '__metadata__.json'
const fileOf = (dataset: string, number: number): string =>
  join(dataset, `${String(number).padStart(9, '0')}.json`)

function metadataOf(job: Job, itemCount: number): string {
  const at = new Date(job.finishedAt ?? job.createdAt).toISOString()
  const facts = {
    id: 'default',
    name: 'default',
    itemCount,
    createdAt: new Date(job.createdAt).toISOString(),
  }
  return `${JSON.stringify({ ...facts, accessedAt: at, modifiedAt: at, kscrapeJobId: job.id }, null, 2)}\n`
}

/** Deletes an earlier export of ours. Throws if the folder contains a dataset of another program. */
async function refuseOthers(dataset: string): Promise<void> {
  const files = await readdir(dataset).catch((): string[] => [])
  const numbered = files.filter(name => /^\d{9}\.json$/.test(name))
  if (numbered.length === 0) return
  if (!files.includes(metadataFile))
    throw new Failure(
      'input.invalid',
      `${dataset} contains a dataset of another program; choose another folder, or empty this one`,
      { dataset },
    )
  for (const name of numbered) await rm(join(dataset, name))
}
