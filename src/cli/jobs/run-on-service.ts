// Follows a job that a service runs, with the same progress and files as a local job.
import { openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Client, JobEvent, JobStatus, JobSummary, NewJob } from '../../client.ts'
import type { GivenSpec, Output } from '../../model/job.ts'
import type { StoredRecord } from '../../model/record.ts'
import { previewOf } from '../../pipeline/report/record-preview.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { userAgentSpecOf } from '../flags/flag-spec.ts'
import type { FetchFlags } from '../flags/flags.ts'
import { refuseLocalFlags } from '../service.ts'
import { previewRows, previewSize, printPreview } from '../show/preview.ts'
import { ProgressBlock } from '../show/progress-block.ts'
import { firstMessage, foundNothing, nameOf, sayEnding } from '../show/summary.ts'
import { type Talk, talkOn } from '../talk.ts'
import { defaultOutput } from './default-output.ts'
import { settingsFor } from './read-data-directory.ts'
import { endingFacts, stopOnSignals } from './run-job.ts'
import { progressOf } from './service-job.ts'
import { writeExport } from './service-jobs.ts'

/** Options that also apply to a job of a service. */
interface HandedOver {
  source?: string
  /** Whether the source is a local copy of stdin. The service stores its own copy, so the local copy is deleted. */
  isCopy?: boolean
  strict?: boolean | undefined
  /** Prints the results of the service's job, instead of the usual summary. */
  finishThere?: (service: Client, jobId: string) => Promise<void>
}

interface ServiceRun {
  service: Client
  talk: Talk
  /** Local files that are written when the job has ended. */
  outputs: Output[]
  strict?: boolean | undefined
  /** Whether to print the first records at the end. */
  preview?: boolean
  /** Prints the results of the job, instead of the usual summary. */
  finish?: ((service: Client, jobId: string) => Promise<void>) | undefined
}

export async function runOnService(
  service: Client,
  flags: FetchFlags,
  spec: GivenSpec,
  { source, isCopy = false, strict, finishThere: finish }: HandedOver = {},
): Promise<void> {
  refuseLocalFlags(flags)
  const { settings } = await settingsFor(flags)
  const { output, cookiesFile: _, ...asked } = spec
  const talk = talkOn(process.stderr, flags)
  const body = { ...asked, ...userAgentSpecOf(flags, settings) } as NewJob
  // Handle Ctrl-C before the job is submitted, because a submitted job continues at the service. On Ctrl-C, the command prints
  // how to find the job.
  const stop = new AbortController()
  using _signals = stopOnSignals(stop, () => {})
  const job = await service.jobs.create(source === undefined ? body : await withFile(service, body, source))
  for (const warning of job.warnings) talk.say(warning)
  if (isCopy && source !== undefined) await rm(source, { force: true })
  const isUnnamed = output.length === 0 && !finish
  const outputs = isUnnamed ? [defaultOutput(spec, isCopy ? undefined : source)] : output
  const preview = isUnnamed && outputs[0]!.path !== '-'
  if (preview) talk.say(`records go to ${nameOf(outputs[0]!.path)}`)
  await followJob({ service, talk, outputs, strict, finish, preview }, job, stop.signal)
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

/** The status of the ended job; null if the user pressed Ctrl-C. A job that waits for the user counts as ended. */
async function watch(
  { service, talk, finish }: ServiceRun,
  jobId: string,
  stop: AbortSignal,
): Promise<JobStatus | null> {
  const read = async () => progressOf(await service.jobs.get(jobId))
  const block = new ProgressBlock(talk, process.stderr, read, {
    sharesScreen: false,
    afterMs: finish ? 1_500 : 0,
  })
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

/** Whether the job stopped at a limit or at walls and waits for the user. */
export const isHalt = ({ event, data }: JobEvent): boolean =>
  (event === 'progress' || event === 'status') &&
  data.status === 'paused' &&
  /^(limit|waste)\./.test(data.reason ?? '')

function hear(block: ProgressBlock, { event, data }: JobEvent): void {
  if (event !== 'task') return
  block.current = data.url
  if (data.status === 'pending') block.trouble = data.message ?? data.reason
}

async function printJobEnd(run: ServiceRun, status: JobStatus, tookMs: number): Promise<void> {
  const { service, talk, outputs, strict, finish } = run
  for (const output of outputs) await writeExport(service, status.jobId, output)
  const { job, counts } = progressOf(status)
  const shown = { ...job, spec: { ...job.spec, output: outputs } }
  process.exitCode = exitCodeOf({ job, counts, interrupted: false, strict })
  talk.tell({ ended: endingFacts(shown, counts, tookMs, process.exitCode) })
  const whyNothing = foundNothing(counts)
    ? firstMessage(await Array.fromAsync(service.jobs.items(job.id, { text: 'kscrape try', pageSize: 100 })))
    : null
  if (run.preview)
    printPreview(await previewOf(await firstRecords(service, job.id), job, previewSize()), counts.records)
  if (finish) await finish(service, job.id)
  else sayEnding(talk, { job: shown, counts, tookMs, again: againOn(service), whyNothing, strict })
}

/** The first records in the form of the store, with the fields that a preview shows. */
async function firstRecords({ jobs }: Client, jobId: string): Promise<StoredRecord[]> {
  const { items } = await jobs.resultPage(jobId, { status: 'success', limit: previewRows })
  return items.flatMap((item, index) =>
    item.status !== 'success'
      ? []
      : [
          {
            ...{ seq: index + 1, jobId, n: index + 1, index: 0, itemId: null, provenance: null, way: null },
            ...{ url: item.url, finalUrl: item.finalUrl, status: item.httpStatus, scraper: item.scraper },
            fetchedAt: Date.parse(item.fetchedAt),
            data: JSON.stringify(item.data),
            input: item.input === undefined ? null : JSON.stringify(item.input),
          },
        ],
  )
}

const againOn = ({ server }: Client): string => ` --server ${server}`

/** Prints how to follow the job, which continues at the service when this command ends. */
function leaveRunning({ service, talk, outputs }: ServiceRun, jobId: string): void {
  process.exitCode = exitCodes.interrupted
  const again = againOn(service)
  const files = outputs.map(({ path }) => (path === '-' ? '' : ` -o ${path}`)).join('')
  talk.tell({ left: { job_id: jobId, server: service.server, exit_code: process.exitCode } })
  talk.say(`${jobId} continues at ${service.server}`)
  talk.say(talk.colors.dim(`  show:    kscrape jobs show ${jobId}${again}`))
  talk.say(talk.colors.dim(`  records: kscrape jobs export ${jobId}${files}${again}`))
  talk.say(talk.colors.dim(`  cancel:  kscrape jobs cancel ${jobId}${again}`))
}
