// kscrape jobs pause, resume, cancel, retry and delete.
import { setTimeout as wait } from 'node:timers/promises'
import { deleteJobData } from '../../maintain/delete-job.ts'
import { Failure } from '../../model/failures.ts'
import { hasEnded, type Job, type JobSpecInput } from '../../model/job.ts'
import { controlIdleJob } from '../../pipeline/coordinate/job-states/control-idle-job.ts'
import type { RequestKind } from '../../ports/store.ts'
import { type DataDirectory, ownDataDirectory, visitDataDirectory } from '../../roles/data-directory.ts'
import type { Engine } from '../../roles/engine.ts'
import { jobNamed } from '../../roles/local/look-up.ts'
import { fetchSpecOf, userAgentSpecOf } from '../flags/flag-spec.ts'
import type { CommonFlags, FetchFlags } from '../flags/flags.ts'
import { deleteOnService, report, steerOnService } from '../jobs/control-on-service.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { runJob } from '../jobs/run-job.ts'
import { serviceFor } from '../service.ts'
import { againFlags } from '../show/summary.ts'
import { talkOn } from '../talk.ts'

/** How long to wait for the process that owns the directory, in milliseconds. It checks for control requests once a second. If it
 *  has not handled the request by then, it does not run the job. */
const obeyedWithinMs = 4_000

export const pauseJob = (jobId: string, flags: CommonFlags): Promise<void> => steer(jobId, flags, 'pause')

export const cancelJob = (jobId: string, flags: CommonFlags): Promise<void> => steer(jobId, flags, 'cancel')

/** If another process owns the directory, it handles the request with its next sweep. Otherwise this process changes the job. */
async function steer(jobId: string, flags: CommonFlags, kind: 'pause' | 'cancel'): Promise<void> {
  const service = await serviceFor(flags)
  if (service) return steerOnService(service, jobId, flags, kind)
  const { settings } = await settingsFor(flags)
  const own = await tryToOwn(settings.dataDir, `jobs ${kind} ${jobId}`)
  if (!own) return ask(settings.dataDir, jobId, flags, kind)
  await using data = own
  refuseEnded(await jobNamed(data, jobId), kind)
  await data.store.tasks.reclaim({ now: Date.now(), exceptOwner: '', poisonAfter: Number.MAX_SAFE_INTEGER })
  await controlIdleJob(data, jobId, kind, Date.now(), settings)
  report(flags, await jobNamed(data, jobId), `${jobId} is ${kind === 'pause' ? 'paused' : 'cancelled'}`)
}

function refuseEnded({ id, state }: Job, kind: RequestKind): void {
  if (!hasEnded(state)) return
  throw new Failure('job.wrong-state', `job ${id} has already ended (${state}), so ${kind} has no effect`, {
    jobId: id,
  })
}

async function tryToOwn(dataDir: string, command: string): Promise<DataDirectory | null> {
  try {
    await (await visitDataDirectory(dataDir))[Symbol.asyncDispose]()
    return await ownDataDirectory(dataDir, command)
  } catch (error) {
    if (error instanceof Failure && error.code === 'store.locked') return null
    throw error
  }
}

/** Leaves a control request for the owner, and reports whether it was handled. */
async function ask(dataDir: string, jobId: string, flags: CommonFlags, kind: RequestKind): Promise<void> {
  await using data = await visitDataDirectory(dataDir)
  const before = await jobNamed(data, jobId)
  if (kind !== 'retry') refuseEnded(before, kind)
  await data.store.requests.leave({ jobId, kind, at: Date.now() })
  const after = await whenChanged(data, before)
  if (after.state === before.state && (kind === 'resume' || kind === 'retry') && before.state !== 'running')
    throw new Failure(
      'store.locked',
      `${data.path} is in use by a process that does not run job ${jobId}; ${kind} the job when that process has ended`,
      { jobId },
    )
  report(flags, after, `the process that uses ${data.path} has the request; job ${jobId} is ${after.state}`)
}

async function whenChanged(data: DataDirectory, before: Job): Promise<Job> {
  const deadline = Date.now() + obeyedWithinMs
  for (;;) {
    const job = await jobNamed(data, before.id)
    if (job.state !== before.state || Date.now() > deadline) return job
    await wait(100)
  }
}

export const resumeJob = (jobId: string, flags: FetchFlags): Promise<void> =>
  goOn(jobId, flags, 'resume', (engine, change) => engine.resume(jobId, change))

export const retryJob = (jobId: string, flags: FetchFlags): Promise<void> =>
  goOn(jobId, flags, 'retry', async (engine, change) => {
    const { job, reopened } = await engine.retry(jobId, change)
    const { say } = talkOn(process.stderr, flags)
    say(
      reopened === 0
        ? `no task of job ${jobId} failed`
        : `${reopened} failed tasks of job ${jobId} run again`,
    )
    return reopened === 0 && hasEnded(job.state) ? null : job
  })

/** Resumes or retries the job in this process. If another process owns the directory, asks that process to do it. */
async function goOn(
  jobId: string,
  flags: FetchFlags,
  kind: 'resume' | 'retry',
  start: (engine: Engine, change: JobSpecInput) => Promise<Job | null>,
): Promise<void> {
  const service = await serviceFor(flags)
  if (service) return steerOnService(service, jobId, flags, kind)
  const loaded = await settingsFor(flags)
  const own = await tryToOwn(loaded.settings.dataDir, `jobs ${kind} ${jobId}`)
  if (!own) return ask(loaded.settings.dataDir, jobId, flags, kind)
  await own[Symbol.asyncDispose]()
  await runJob({
    loaded,
    talk: talkOn(process.stderr, flags),
    command: `jobs ${kind} ${jobId}`,
    again: againFlags(loaded.settings.dataDir, flags.allowPrivate),
    start: engine => start(engine, { ...fetchSpecOf(flags), ...userAgentSpecOf(flags, loaded.settings) }),
  })
}

export async function deleteJob(jobId: string, flags: CommonFlags & { force?: boolean }): Promise<void> {
  const service = await serviceFor(flags)
  if (service) return deleteOnService(service, jobId, flags)
  const { settings } = await settingsFor(flags)
  await (await visitDataDirectory(settings.dataDir))[Symbol.asyncDispose]()
  await using data = await ownDataDirectory(settings.dataDir, `jobs delete ${jobId}`)
  const job = await jobNamed(data, jobId)
  if (!hasEnded(job.state) && !flags.force)
    throw new Failure(
      'job.wrong-state',
      `job ${jobId} is ${job.state}; \`kscrape jobs cancel ${jobId}\` ends it, --force deletes it anyway`,
      { jobId },
    )
  await deleteJobData(data, jobId)
  report(flags, job, `${jobId}: deleted`)
}
