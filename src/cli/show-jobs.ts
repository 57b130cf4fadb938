// kscrape jobs list, show and export: looking at jobs, also while another process runs them.
import { Failure } from '../model/failures.ts'
import { taskId } from '../model/ids.ts'
import type { Job, JobState } from '../model/job.ts'
import type { Task, TaskState } from '../model/task.ts'
import type { DataDirectory } from '../roles/data-directory.ts'
import { shownRecords, sourcesOf, taskNamed } from '../roles/field-sources.ts'
import { outputOf } from '../roles/job-input.ts'
import { exportPages, exportRecords, jobNamed, proposedRules } from '../roles/look-up.ts'
import type { CommonFlags, OutputFlags } from './flags.ts'
import { jobFacts, jobRow, reportLines, table } from './job-tables.ts'
import { print, printJson } from './print.ts'
import { modelLines } from './show-model.ts'
import { attemptFacts, recordFacts, sourceLines, taskLines } from './show-sources.ts'
import { nameOf } from './summary.ts'
import { safe } from './talk.ts'
import { visit } from './visit.ts'

const pageSize = 1_000

export async function listJobs(flags: CommonFlags & { state?: JobState; limit: number }): Promise<void> {
  await using data = await visit(flags)
  const { jobs } = data.store
  const found = await jobs.list({ limit: flags.limit, ...(flags.state && { states: [flags.state] }) })
  const counted = await Promise.all(found.map(async job => ({ job, counts: await jobs.counts(job.id) })))
  if (flags.json) for (const { job, counts } of counted) printJson(jobFacts(job, counts))
  else print(table(['job', 'state', 'done', 'found', 'records', 'failed', 'created'], counted.map(jobRow)))
}

interface ShowFlags extends CommonFlags {
  rejected?: boolean
  tasks?: TaskState | true
  task?: string
  provenance?: boolean
}

export async function showJob(jobId: string, flags: ShowFlags): Promise<void> {
  await using data = await visit(flags)
  const job = await jobNamed(data, jobId)
  if (flags.rejected) return await showRejected(data, jobId, Boolean(flags.json))
  if (flags.task !== undefined) return await showTask(data, jobId, flags.task, Boolean(flags.json))
  if (flags.tasks) return await showTasks(data, jobId, flags.tasks, Boolean(flags.json))
  await showWhole(data, job, flags)
}

async function showWhole(data: DataDirectory, job: Job, { json, provenance }: ShowFlags): Promise<void> {
  const counts = await data.store.jobs.counts(job.id)
  const proposal = await proposedRules(data, job.id)
  const tally = await sourcesOf(data, job.id, provenance ? counts.records : shownRecords)
  if (json) {
    const outputs = await data.store.outputs.list(job.id)
    const sources = { records: tally.records, fields: tally.fields }
    const facts = { ...jobFacts(job, counts), ingest: job.ingest, outputs, provenance: sources }
    return printJson({ ...facts, ...(proposal && { proposed_rules: proposal }) })
  }
  for (const line of await reportLines(data.store, job, counts, Date.now())) print(line)
  const more = [...sourceLines(tally, counts.records), ...modelLines(job, counts, proposal)]
  for (const line of more) print(`  ${line}`)
}

async function showTask(data: DataDirectory, jobId: string, name: string, json: boolean): Promise<void> {
  const reading = await taskNamed(data, jobId, name)
  if (!json) {
    for (const line of taskLines(reading)) print(line)
    return
  }
  const { task, attempts, records } = reading
  const facts = { history: attempts.map(attemptFacts), records: records.map(recordFacts) }
  printJson({ ...taskFacts(task), ...facts })
}

async function showRejected({ store }: DataDirectory, jobId: string, json: boolean): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await store.tasks.rejected(jobId, { after, limit: pageSize })
    for (const row of rows) json ? printJson(row) : print(`line ${row.row}: ${row.reason}  ${safe(row.text)}`)
    if (rows.length < pageSize) return
    after = rows.at(-1)!.row
  }
}

async function showTasks(
  { store }: DataDirectory,
  jobId: string,
  state: TaskState | true,
  json: boolean,
): Promise<void> {
  for (let after = 0; ; ) {
    const states = state === true ? {} : { states: [state] }
    const tasks = await store.tasks.list(jobId, { after, limit: pageSize, ...states })
    for (const task of tasks) json ? printJson(taskFacts(task)) : print(taskLine(task))
    if (tasks.length < pageSize) return
    after = tasks.at(-1)!.n
  }
}

const taskFacts = (task: Task) => ({
  task_id: taskId(task.jobId, task.n),
  item_id: task.itemId,
  kind: task.kind,
  url: task.url,
  depth: task.depth,
  state: task.state,
  reason: task.reason,
  message: task.message,
  attempts: task.attempt,
})

function taskLine({ jobId, n, state, reason, url, input, message }: Task): string {
  const why = message ? `  ${safe(message)}` : ''
  return `${taskId(jobId, n)}  ${state}  ${reason ?? '-'}  ${url || safe(input ?? '')}${why}`
}

export async function exportJob(
  jobId: string,
  flags: CommonFlags & OutputFlags & { raw?: boolean },
): Promise<void> {
  await using data = await visit(flags)
  const say = (line: string) => !flags.quiet && process.stderr.write(`${line}\n`)
  const paths = flags.output ?? (flags.raw ? [] : ['-'])
  if (paths.length === 0) throw new Failure('input.invalid', 'jobs export --raw needs a folder: -o DIR')
  // All are judged before the first is written.
  const outputs = flags.raw ? [] : paths.map(outputOf)
  for (const output of outputs) {
    const rows = await exportRecords(data, jobId, output, process.stdout)
    if (output.path !== '-')
      say(`wrote ${nameOf(output.path)} (${rows} ${output.format === 'warc.gz' ? 'pages' : 'records'})`)
  }
  if (flags.raw)
    for (const path of paths) say(`wrote ${path} (${await exportPages(data, jobId, path)} raw pages)`)
}
