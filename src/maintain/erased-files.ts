// Rewrites or removes output files of jobs after an erasure.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasEnded, type Job } from '../model/job.ts'
import { JobOutputs } from '../results/exports/job-outputs.ts'
import type { DataDirectory } from '../roles/data-directory.ts'
import { exportsFolderOf } from './delete-job.ts'
import type { ErasedFiles } from './erase-host.ts'

export function erasedFilesIn(data: DataDirectory): ErasedFiles {
  return {
    async rewrite(job, { dryRun }) {
      const isOurs = ({ path }: { path: string }) => dirname(path) === exportsFolderOf(data, job.id)
      const there = job.spec.output.filter(({ path }) => existsSync(path))
      const ours = there.filter(isOurs)
      if (!dryRun) await writeAnew(data, { ...job, spec: { ...job.spec, output: ours } })
      const untouched = there.filter(output => !isOurs(output)).map(({ path }) => path)
      return { files: ours.length, untouched }
    },
  }
}

/** Deletes the output files of a job and their progress, so that they are written again from the store. The files of an
 *  unfinished job are written by the process that runs it. */
async function writeAnew(data: DataDirectory, job: Job): Promise<void> {
  const { store, blobs } = data
  for (const { path } of job.spec.output) await rm(path, { force: true })
  for (const progress of await store.outputs.list(job.id))
    if (job.spec.output.some(({ path }) => path === progress.path) || !hasEnded(job.state))
      await store.outputs.save(job.id, { ...progress, seq: 0, bytes: 0, done: false })
  if (!hasEnded(job.state) || job.spec.output.length === 0) return
  await using outputs = await JobOutputs.open({ store, blobs, stdout: process.stdout }, job)
  await outputs.finish()
}
