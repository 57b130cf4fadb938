// `jobs export --raw --server`: the service writes Parquet files into its storage, and this command downloads them.

import { createWriteStream } from 'node:fs'
import { glob, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, RawExport } from '../../client.ts'
import { Failure } from '../../model/failures.ts'
import { claimRawFolder, markRawFolder } from '../../roles/local/raw-folder.ts'

type Say = (line: string) => void

const pollMs = 500
/** How often to start the export again if the service fails repeatedly. */
const mostStarts = 10

/** Runs the export. If no folders are given, the files stay in the storage of the service. */
export async function exportRawOfService(
  service: Client,
  jobId: string,
  folders: readonly string[],
  say: Say,
): Promise<void> {
  for (const folder of folders) await claimRawFolder(folder, jobId)
  const { state, rows, prefix } = await exported(service, jobId)
  const ending = state === 'partial' ? '; the job is still running' : ''
  if (folders.length === 0)
    say(`exported ${rows} raw pages to ${prefix} in the storage of the service${ending}`)
  for (const folder of folders) {
    await download(service, jobId, folder)
    say(`wrote ${folder} (${rows} raw pages${ending})`)
  }
}

async function exported(service: Client, jobId: string): Promise<RawExport> {
  let report = await service.jobs.startRawExport(jobId)
  for (let starts = 1; ; ) {
    if (report.state === 'complete' || report.state === 'partial') return report
    if (report.state !== 'running') {
      if (starts++ >= mostStarts) throw gaveUp(jobId, report)
      report = await service.jobs.startRawExport(jobId)
    }
    await pause(pollMs)
    report = await service.jobs.rawExport(jobId)
    if (report.state === 'failed') throw gaveUp(jobId, report)
  }
}

const gaveUp = (jobId: string, { trouble, rows }: RawExport): Failure =>
  new Failure(
    'storage.failed',
    `the raw export of job ${jobId} stopped after ${rows} pages: ${trouble ?? 'the service was restarted'}; the same command continues it`,
    { jobId },
  )

/** Downloads the files that the folder lacks, and deletes files that the export no longer lists. A file name changes with
 *  its content, so an existing file of the right size is up to date. */
async function download(service: Client, jobId: string, folder: string): Promise<void> {
  await markRawFolder(folder, jobId)
  const listed = new Set<string>()
  for await (const { path, bytes } of service.jobs.rawExportFiles(jobId)) {
    const file = join(folder, ...path.split('/'))
    listed.add(path)
    if ((await sizeOf(file)) === bytes) continue
    await mkdir(dirname(file), { recursive: true })
    const { stream } = await service.jobs.rawExportFile(jobId, path)
    await pipeline(Readable.fromWeb(stream() as ReadableStream), createWriteStream(`${file}.unfinished`))
    await rename(`${file}.unfinished`, file)
  }
  for await (const path of glob('domain=*/date=*/part-*', { cwd: folder }))
    if (!listed.has(path.replaceAll(sep, '/'))) await rm(join(folder, path), { force: true })
}

const sizeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ size }) => size,
    () => null,
  )
