// kscrape jobs list, show and export: reads jobs, also while another process runs them.
import { Failure } from '../../model/failures.ts'
import { taskId } from '../../model/ids.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import type { TaskState } from '../../model/task.ts'
import { outputOf } from '../../pipeline/submit/output-of.ts'
import { shapeOf } from '../flags/flag-spec.ts'
import type { CommonFlags, OutputFlags } from '../flags/flags.ts'
import type { JobReader, ListedTask, ShownState } from '../jobs/job-reader.ts'
import { openJobReader } from '../jobs/open-job-reader.ts'
import { visit } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { serviceFor } from '../service.ts'
import { conductLines } from '../show/conduct.ts'
import { jobFacts, jobRow, reportLines, table } from '../show/job-tables.ts'
import { modelLines } from '../show/model.ts'
import { policyLines } from '../show/policy.ts'
import { paceFacts } from '../show/progress-text.ts'
import { attemptFacts, recordFacts, sourceLines, taskLines } from '../show/sources.ts'
import { nameOf } from '../show/summary.ts'
import { safe } from '../talk.ts'

export async function listJobs(flags: CommonFlags & { state?: ShownState; limit: number }): Promise<void> {
  await using jobReader = await openJobReader(flags)
  const counted = await jobReader.list(flags)
  if (flags.json) for (const one of counted) printJson(jobFacts(one))
  else print(table(['job', 'state', 'done', 'found', 'records', 'failed', 'created'], counted.map(jobRow)))
}

interface ShowFlags extends CommonFlags {
  rejected?: boolean
  tasks?: TaskState | true
  task?: string
  provenance?: boolean
  policy?: boolean
}

export async function showJob(jobId: string, flags: ShowFlags): Promise<void> {
  await using jobReader = await openJobReader(flags)
  if (flags.rejected) return await showRejected(jobReader, jobId, Boolean(flags.json))
  if (flags.task !== undefined) return await showTask(jobReader, jobId, flags.task, Boolean(flags.json))
  if (flags.policy) return await showPolicy(jobReader, jobId, Boolean(flags.json))
  if (flags.tasks) return await showTasks(jobReader, jobId, flags.tasks, Boolean(flags.json))
  await showWhole(jobReader, jobId, flags)
}

async function showWhole(
  jobReader: JobReader,
  jobId: string,
  { json, provenance }: ShowFlags,
): Promise<void> {
  const report = await jobReader.report(jobId, provenance ? 'all' : 'first')
  const { job, counts, outputs, sources, proposal, conduct, pace } = report
  if (json) {
    const told = { records: sources.records, fields: sources.fields }
    const facts = {
      ...jobFacts(report),
      ingest: job.ingest,
      pace: paceFacts(pace),
      outputs,
      provenance: told,
    }
    const conducted = mapKeys(conduct, snake)
    return printJson({ ...facts, conduct: conducted, ...(proposal && { proposed_rules: proposal }) })
  }
  for (const line of reportLines(report, Date.now())) print(line)
  const more = [
    ...conductLines(conduct),
    ...sourceLines(sources, counts.records),
    ...modelLines(job, counts, proposal),
  ]
  for (const line of more) print(`  ${line}`)
}

async function showTask(jobReader: JobReader, jobId: string, name: string, json: boolean): Promise<void> {
  const reading = await jobReader.task(jobId, name)
  if (!json) {
    for (const line of taskLines(reading)) print(line)
    return
  }
  const { task, attempts, records } = reading
  const facts = { history: attempts.map(attemptFacts), records: records.map(recordFacts) }
  printJson({ ...taskFacts(task), ...facts })
}

async function showPolicy(jobReader: JobReader, jobId: string, json: boolean): Promise<void> {
  const report = await jobReader.policy(jobId)
  if (json) return printJson({ job_id: jobId, ...(mapKeys(report, snake) as object) })
  for (const line of policyLines(report)) print(safe(line))
}

async function showRejected(jobReader: JobReader, jobId: string, json: boolean): Promise<void> {
  for await (const row of jobReader.rejected(jobId))
    json ? printJson(row) : print(`line ${row.row}: ${row.reason}  ${safe(row.text)}`)
}

async function showTasks(
  jobReader: JobReader,
  jobId: string,
  state: TaskState | true,
  json: boolean,
): Promise<void> {
  for await (const task of jobReader.tasks(jobId, state === true ? undefined : state))
    json ? printJson(taskFacts(task)) : print(taskLine(task))
}

export const taskFacts = (task: ListedTask) => ({
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

export function taskLine({ jobId, n, state, reason, url, input, message }: ListedTask): string {
  const why = message ? `  ${safe(message)}` : ''
  return `${taskId(jobId, n)}  ${state}  ${reason ?? '-'}  ${url || safe(input ?? '')}${why}`
}

export async function exportJob(
  jobId: string,
  flags: CommonFlags & OutputFlags & { raw?: boolean; crawlee?: boolean },
): Promise<void> {
  const say = (line: string) => !flags.quiet && process.stderr.write(`${line}\n`)
  if (flags.raw && flags.crawlee)
    throw new Failure('input.invalid', '--raw and --crawlee are two layouts; use only one')
  if (flags.raw || flags.crawlee) return exportFolders(jobId, flags, say)
  await using jobReader = await openJobReader(flags)
  // `outputOf` checks all outputs before the first one is written.
  for (const output of (flags.output ?? ['-']).map(outputOf)) {
    const written = await jobReader.exportTo(jobId, output, shapeOf(flags))
    if (output.path !== '-') say(`wrote ${nameOf(output.path)} (${written})`)
  }
}

/** Refuses flags for tables, because neither --raw nor --crawlee writes tables. */
function refuseTableFlags(flags: OutputFlags, layout: string): void {
  const [name] = Object.entries({
    '--keep-columns': flags.keepColumns,
    '--explode': flags.explode,
    '--page-columns': flags.pageColumns,
  }).find(([, value]) => value !== undefined) ?? [null]
  if (name === null) return
  throw new Failure(
    'input.invalid',
    `${name} is for tables, and ${layout} writes none: leave one of them out`,
  )
}

async function exportFolders(
  jobId: string,
  flags: CommonFlags & OutputFlags & { raw?: boolean },
  say: (line: string) => void,
): Promise<void> {
  const flag = flags.raw ? '--raw' : '--crawlee'
  refuseTableFlags(flags, flag)
  const service = await serviceFor(flags)
  if (service && flags.raw) {
    const { exportRawOfService } = await import('../jobs/export-raw.ts')
    return exportRawOfService(service, jobId, flags.output ?? [], say)
  }
  if (!flags.output) throw new Failure('input.invalid', `jobs export ${flag} needs a folder: -o DIR`)
  if (service)
    throw new Failure(
      'feature.missing',
      'jobs export --crawlee reads the data directory; for a service use -o records.jsonl',
    )
  const { exportDataset, exportPages } = await import('../../roles/local/export-job.ts')
  await using data = await visit(flags)
  for (const path of flags.output)
    say(
      flags.raw
        ? `wrote ${path} (${await exportPages(data, jobId, path)} raw pages)`
        : `wrote ${path} (${await exportDataset(data, jobId, path)} records)`,
    )
}
