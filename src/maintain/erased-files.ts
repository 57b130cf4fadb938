// Rewrites or removes output files of jobs after an erasure.
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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

    async removePages({ fits, text }, { dryRun }) {
      let removed = 0
      for (const jobId of await namesIn(join(data.path, 'raw')))
        for (const name of await namesIn(join(data.path, 'raw', jobId))) {
          const domain = decodeURIComponent(/^domain=(.+)$/.exec(name)?.[1] ?? '')
          if (domain !== text && !fits(domain)) continue
          removed += 1
          if (!dryRun) await rm(join(data.path, 'raw', jobId, name), { recursive: true, force: true })
        }
      return removed
    },
  }
}

/** An unfinished job rewrites its files itself. */
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

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
