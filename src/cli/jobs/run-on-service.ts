// Follows a job that a service runs, with the same progress and files as a local job.
import { openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Client, JobEvent, JobStatus, JobSummary, NewJob } from '../../client.ts'
import type { GivenSpec, Output } from '../../model/job.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { userAgentSpecOf } from '../flags/flag-spec.ts'
import type { FetchFlags } from '../flags/flags.ts'
import { refuseLocalFlags } from '../service.ts'
import { ProgressBlock } from '../show/progress-block.ts'
import { firstMessage, foundNothing, sayEnding } from '../show/summary.ts'
import { type Talk, talkOn } from '../talk.ts'
import { endingFacts, stopOnSignals } from './run-job.ts'
import { progressOf } from './service-job.ts'
import { writeExport } from './service-jobs.ts'
import { settingsFor } from './visit.ts'

interface ServiceRun {
  service: Client
  talk: Talk
  /** Written to local files when the job has ended. */
  outputs: Output[]
  strict?: boolean | undefined
}

export async function runOnService(
  service: Client,
  flags: FetchFlags,
  spec: GivenSpec,
  {
    source,
    isCopy = false,
    strict,
  }: { source?: string; isCopy?: boolean; strict?: boolean | undefined } = {},
): Promise<void> {
  refuseLocalFlags(flags)
  const { settings } = await settingsFor(flags)
  const { output, cookiesFile: _, ...asked } = spec
  const talk = talkOn(process.stderr, flags)
  const body = { ...asked, ...userAgentSpecOf(flags, settings) } as NewJob
  // Installed first: a submitted job continues, and Ctrl-C prints how to find it.
  const stop = new AbortController()
  using _signals = stopOnSignals(stop, () => {})
  const job = await service.jobs.create(source === undefined ? body : await withFile(service, body, source))
  for (const warning of job.warnings) talk.say(warning)
  if (isCopy && source !== undefined) await rm(source, { force: true })
  const outputs = output.length > 0 ? output : [{ path: '-', format: 'jsonl' as const }]
  await followJob({ service, talk, outputs, strict }, job, stop.signal)
}

/** Uploads the rows before the job is created. */
async function withFile({ uploads }: Client, body: NewJob, path: string): Promise<NewJob> {
  const { uploadId } = await uploads.send(await openAsBlob(path), { fileName: basename(path) })
  return { ...body, uploadId }
}

async function followJob(run: ServiceRun, { jobId }: JobSummary, stop: AbortSignal): Promise<void> {
  const startedAt = Date.now()
  const ended = await watch(run, jobId, stop)
  if (ended) await printJobEnd(run, ended, Date.now() - startedAt)
  else leaveRunning(run, jobId)
}

/** Null if the user left before the end. A job that stopped for a person counts as ended. */
async function watch(
  { service, talk }: ServiceRun,
  jobId: string,
  stop: AbortSignal,
): Promise<JobStatus | null> {
  const block = new ProgressBlock(talk, process.stderr, async () => progressOf(await service.jobs.get(jobId)))
  const halted = new AbortController()
  const onEvent = (event: JobEvent) => {
    hear(block, event)
    if (isHalt(event)) halted.abort()
  }
  try {
    return await service.jobs.wait(jobId, { signal: AbortSignal.any([stop, halted.signal]), onEvent })
  } catch (error) {
    if (stop.aborted) return null
    if (halted.signal.aborted) return await service.jobs.get(jobId)
    throw error
  } finally {
    block.stop()
  }
}

/** The job stopped at a limit or at walls and waits for a person. */
export const isHalt = ({ event, data }: JobEvent): boolean =>
  (event === 'progress' || event === 'status') &&
  data.status === 'paused' &&
  /^(limit|waste)\./.test(data.reason ?? '')

function hear(block: ProgressBlock, { event, data }: JobEvent): void {
  if (event === 'task' && data.status === 'pending') block.trouble = data.message ?? data.reason
}

async function printJobEnd(run: ServiceRun, status: JobStatus, tookMs: number): Promise<void> {
  const { service, talk, outputs, strict } = run
  for (const output of outputs) await writeExport(service, status.jobId, output)
  const { job, counts } = progressOf(status)
  const shown = { ...job, spec: { ...job.spec, output: outputs } }
  process.exitCode = exitCodeOf({ job, counts, interrupted: false, strict })
  talk.tell({ ended: endingFacts(shown, counts, tookMs, process.exitCode) })
  const whyNothing = foundNothing(counts)
    ? firstMessage(await Array.fromAsync(service.jobs.items(job.id, { text: 'kscrape try', pageSize: 100 })))
    : null
  sayEnding(talk, { job: shown, counts, tookMs, again: againOn(service), whyNothing })
}

const againOn = ({ server }: Client): string => ` --server ${server}`

/** The job continues at the service when this command ends. */
function leaveRunning({ service, talk, outputs }: ServiceRun, jobId: string): void {
  process.exitCode = exitCodes.interrupted
  const again = againOn(service)
  const files = outputs.map(({ path }) => (path === '-' ? '' : ` -o ${path}`)).join('')
  talk.tell({ left: { job_id: jobId, server: service.server, exit_code: process.exitCode } })
  talk.say(`${jobId} continues at ${service.server}`)
  talk.say(talk.colors.dim(`  look:    kscrape jobs show ${jobId}${again}`))
  talk.say(talk.colors.dim(`  records: kscrape jobs export ${jobId}${files}${again}`))
  talk.say(talk.colors.dim(`  end it:  kscrape jobs cancel ${jobId}${again}`))
}
