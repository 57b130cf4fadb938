// What the `jobs` commands do.
import { rmSync } from 'node:fs'
import { loadSettings } from '../config/load.ts'
import { Failure } from '../model/failures.ts'
import { taskId } from '../model/ids.ts'
import { hasEnded, type Job, type JobState } from '../model/job.ts'
import type { TaskState } from '../model/task.ts'
import type { RequestKind } from '../ports/store.ts'
import { type DataDirectory, ownDataDirectory, visitDataDirectory } from '../roles/data-directory.ts'
import { deleteJobData } from '../roles/delete-job.ts'
import { specFromFile } from '../roles/job-input.ts'
import { exportPages, exportRecords, jobNamed } from '../roles/look-up.ts'
import { type CommonFlags, type FetchFlags, outputOf, settingsOf } from './flags.ts'
import { showCounts, showHosts, showOutputs, table } from './job-tables.ts'
import { runJob } from './run-job.ts'
import { safe, talkOn } from './talk.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value))

async function visit(flags: CommonFlags): Promise<DataDirectory> {
  const { settings } = await loadSettings(settingsOf(flags))
  return visitDataDirectory(settings.dataDir)
}

export async function createJob(file: string, flags: FetchFlags): Promise<void> {
  const spec = specFromFile(file)
  const output = spec.output.length > 0 ? spec.output : [{ path: '-', format: 'jsonl' as const }]
  const loaded = await loadSettings(settingsOf(flags))
  const talk = talkOn(process.stderr, flags)
  await runJob({
    loaded,
    talk,
    command: `jobs create ${file}`,
    start: engine => engine.submit({ ...spec, output }),
  })
}

export async function listJobs(flags: CommonFlags & { state?: JobState; limit: number }): Promise<void> {
  await using data = await visit(flags)
  const jobs = await data.store.jobs.list({
    limit: flags.limit,
    ...(flags.state && { states: [flags.state] }),
  })
  if (flags.json) return jobs.forEach(job => printJson(jobJson(job)))
  const rows = await Promise.all(jobs.map(async job => jobRow(job, await data.store.jobs.counts(job.id))))
  print(table(['job', 'state', 'done', 'found', 'records', 'failed', 'created'], rows))
}

const jobRow = (
  job: Job,
  counts: Awaited<ReturnType<DataDirectory['store']['jobs']['counts']>>,
): string[] => {
  const { succeeded, failed, skipped, cancelled } = counts.byState
  const state = job.state === 'paused' && job.reason ? `paused: ${job.reason}` : job.state
  const created = new Date(job.createdAt).toISOString().slice(0, 19).replace('T', ' ')
  return [
    job.id,
    state,
    String(succeeded + failed + skipped + cancelled),
    String(counts.tasks),
    String(counts.records),
    String(failed),
    created,
  ]
}

const jobJson = (job: Job) => ({
  job_id: job.id,
  kind: job.kind,
  state: job.state,
  reason: job.reason,
  created_at: new Date(job.createdAt).toISOString(),
  started_at: job.startedAt && new Date(job.startedAt).toISOString(),
  finished_at: job.finishedAt && new Date(job.finishedAt).toISOString(),
})

export async function showJob(
  jobId: string,
  flags: CommonFlags & { rejected?: boolean; tasks?: TaskState | true },
): Promise<void> {
  await using data = await visit(flags)
  const job = await jobNamed(data, jobId)
  const counts = await data.store.jobs.counts(jobId)
  if (flags.rejected) return showRejected(data, jobId, Boolean(flags.json))
  if (flags.tasks) return showTasks(data, jobId, flags.tasks, Boolean(flags.json))
  if (flags.json)
    return printJson({
      ...jobJson(job),
      counts: {
        tasks: counts.tasks,
        records: counts.records,
        by_state: counts.byState,
        by_reason: counts.byReason,
        links_refused: counts.linksRefused,
      },
      ingest: job.ingest,
    })
  print(`${job.id}  ${job.kind}  ${job.state}${job.reason ? ` (${job.reason})` : ''}`)
  showCounts(counts, job, print)
  await showHosts(data.store, jobId, print)
  await showOutputs(data.store, jobId, print)
}

async function showRejected(data: DataDirectory, jobId: string, json: boolean): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await data.store.tasks.rejected(jobId, { after, limit: 1_000 })
    for (const row of rows) json ? printJson(row) : print(`line ${row.row}: ${row.reason}  ${safe(row.text)}`)
    if (rows.length < 1_000) return
    after = rows.at(-1)!.row
  }
}

async function showTasks(
  data: DataDirectory,
  jobId: string,
  state: TaskState | true,
  json: boolean,
): Promise<void> {
  for (let after = 0; ; ) {
    const tasks = await data.store.tasks.list(jobId, {
      after,
      limit: 1_000,
      ...(state !== true && { states: [state] }),
    })
    for (const task of tasks) {
      const id = taskId(jobId, task.n)
      if (json)
        printJson({
          task_id: id,
          url: task.url,
          state: task.state,
          reason: task.reason,
          message: task.message,
          attempts: task.attempt,
        })
      else
        print(
          `${id}  ${task.state}  ${task.reason ?? '-'}  ${task.url || task.input}${task.message ? `  ${safe(task.message)}` : ''}`,
        )
    }
    if (tasks.length < 1_000) return
    after = tasks.at(-1)!.n
  }
}

/** Who owns the directory obeys within a sweep; where nobody does, the change is made here. */
async function steer(
  jobId: string,
  flags: CommonFlags,
  kind: RequestKind,
  alone: (data: DataDirectory, job: Job) => Promise<void>,
): Promise<void> {
  const { settings } = await loadSettings(settingsOf(flags))
  const own = await tryToOwn(settings.dataDir, `jobs ${kind} ${jobId}`)
  await using data = own ?? (await visitDataDirectory(settings.dataDir))
  const job = await jobNamed(data, jobId)
  if (hasEnded(job.state))
    throw new Failure(
      'job.wrong-state',
      `job ${jobId} has ended (${job.state}); there is nothing to ${kind}`,
      { jobId },
    )
  if (own) await alone(data, job)
  else await data.store.requests.leave({ jobId, kind, at: Date.now() })
  if (!flags.quiet)
    process.stderr.write(own ? `${jobId}: done\n` : `${jobId}: asked the process that runs it\n`)
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

export const pauseJob = (jobId: string, flags: CommonFlags): Promise<void> =>
  steer(jobId, flags, 'pause', async ({ store }) => {
    await store.jobs.move(jobId, ['pending', 'running'], 'paused', { reason: 'user' })
  })

export const cancelJob = (jobId: string, flags: CommonFlags): Promise<void> =>
  steer(jobId, flags, 'cancel', async ({ store }) => {
    await store.tasks.reclaim({ now: Date.now(), exceptOwner: '', poisonAfter: Number.MAX_SAFE_INTEGER })
    await store.tasks.endPending(jobId, 'cancelled', 'job.cancelled')
    await store.jobs.move(jobId, ['pending', 'running', 'paused', 'finishing'], 'cancelled')
  })

export async function resumeJob(jobId: string, flags: FetchFlags): Promise<void> {
  const loaded = await loadSettings(settingsOf(flags))
  const own = await tryToOwn(loaded.settings.dataDir, `jobs resume ${jobId}`)
  await own?.[Symbol.asyncDispose]()
  if (!own) return steer(jobId, flags, 'resume', async () => {})
  await runJob({
    loaded,
    talk: talkOn(process.stderr, flags),
    command: `jobs resume ${jobId}`,
    start: engine => engine.resume(jobId),
  })
}

export async function retryJob(jobId: string, flags: FetchFlags): Promise<void> {
  const loaded = await loadSettings(settingsOf(flags))
  const talk = talkOn(process.stderr, flags)
  await runJob({
    loaded,
    talk,
    command: `jobs retry ${jobId}`,
    start: async engine => {
      const { job, reopened } = await engine.retry(jobId)
      talk.say(`${reopened} failed tasks run again`)
      return job
    },
  })
}

export async function deleteJob(jobId: string, flags: CommonFlags & { force?: boolean }): Promise<void> {
  const { settings } = await loadSettings(settingsOf(flags))
  await using data = await ownDataDirectory(settings.dataDir, `jobs delete ${jobId}`)
  const job = await jobNamed(data, jobId)
  if (!hasEnded(job.state) && !flags.force)
    throw new Failure('job.wrong-state', `job ${jobId} is ${job.state}; cancel it first, or add --force`, {
      jobId,
    })
  await deleteJobData(data, jobId)
  if (job.ingest.source?.startsWith(data.inputs)) rmSync(job.ingest.source, { force: true })
  if (!flags.quiet) process.stderr.write(`${jobId}: deleted\n`)
}

export async function exportJobTo(
  jobId: string,
  flags: CommonFlags & { output?: string[]; raw?: boolean },
): Promise<void> {
  await using data = await visit(flags)
  const paths = flags.output ?? (flags.raw ? [] : ['-'])
  if (paths.length === 0) throw new Failure('input.invalid', 'jobs export --raw needs a folder: -o DIR')
  for (const path of paths) {
    const rows = flags.raw
      ? await exportPages(data, jobId, path)
      : await exportRecords(data, jobId, outputOf(path), process.stdout)
    if (!flags.quiet && path !== '-')
      process.stderr.write(`wrote ${path} (${rows} ${flags.raw ? 'pages' : 'records'})\n`)
  }
}
