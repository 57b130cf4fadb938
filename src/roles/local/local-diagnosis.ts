// Diagnoses a job of a data directory from its store, even while another process runs the job.
import { existsSync, readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.ts'
import type { Diagnosis } from '../../model/diagnosis.ts'
import { reportOnProcess } from '../../observe/diagnose/process-report.ts'
import { redactionFor } from '../../observe/diagnose/redaction.ts'
import { diagnoseJob } from '../../pipeline/report/diagnose-job.ts'
import type { DataDirectory } from '../data-directory.ts'
import { jobNamed } from './look-up.ts'

export async function diagnoseHere(
  data: DataDirectory,
  settings: Settings,
  jobId: string,
): Promise<Diagnosis> {
  const { store } = data
  const job = await jobNamed(data, jobId)
  const { versions, settings: shown } = await reportOnProcess(settings)
  const sections = {
    ...{ versions, settings: shown },
    directory: { path: data.path, owner: ownerOf(data.path), ...(await spaceOf(data.path)) },
    ...(await diagnoseJob({ store, host: host => store.hosts.get(host) }, job)),
  }
  const diagnosis = { about: 'job' as const, name: jobId, madeAt: new Date().toISOString(), sections }
  return redactionFor(settings)(diagnosis)
}

/** The process that owns the directory, as written in its lock file; null if there is none. */
function ownerOf(path: string): unknown {
  const file = join(path, 'owner.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

async function spaceOf(path: string): Promise<{ freeBytes: number }> {
  const { bavail, bsize } = await statfs(path)
  return { freeBytes: bavail * bsize }
}
