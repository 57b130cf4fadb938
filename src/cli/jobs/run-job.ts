// Runs jobs from the command line: engine, progress, Ctrl-C, summary and exit code.
import { fstatSync } from 'node:fs'
import type { Loaded } from '../../config/load.ts'
import type { Events } from '../../model/events.ts'
import type { Job, JobCounts } from '../../model/job.ts'
import { missingFields } from '../../pipeline/report/missing-fields.ts'
import { recordPreview } from '../../pipeline/report/record-preview.ts'
import { Engine } from '../../roles/engine.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { isClosedPipe } from '../fail.ts'
import { previewSize, printPreview } from '../show/preview.ts'
import { ProgressBlock } from '../show/progress-block.ts'
import { firstMessage, foundNothing, sayEnding } from '../show/summary.ts'
import { showWebhooks } from '../show/webhooks.ts'
import type { Talk } from '../talk.ts'

interface JobRun {
  loaded: Loaded
  talk: Talk
  /** The command line of this process. While this process locks the data directory, the errors of other commands show it. */
  command: string
  lanes?: number
  /** Whether dead links of a crawl count as failures in the exit code. */
  strict?: boolean | undefined
  /** Whether to print the first records at the end. */
  preview?: boolean
  /** Whether only built-in scrapers are used; then no scraper file is loaded. */
  withoutFiles?: boolean
  /** Flags that later commands for this job must repeat. */
  again: string
  /** Submits or reopens the job; null if there is nothing to run. */
  start: (engine: Engine) => Promise<Job | null>
  /** Prints the result instead of the default summary. */
  finish?: (engine: Engine, job: Job) => Promise<void>
}

export async function runJob(run: JobRun): Promise<void> {
  const { loaded, command, lanes, withoutFiles = false } = run
  const stop = new AbortController()
  await using engine = await Engine.open(loaded, {
    ...{ command, withoutFiles },
    stop: stop.signal,
    stdout: process.stdout,
    ...(lanes !== undefined && { lanes }),
  })
  const startedAt = Date.now()
  const job = await run.start(engine)
  if (!job) return
  await runToEnd(run, engine, job, stop)
  await printJobEnd(run, engine, job.id, Date.now() - startedAt, stop.signal.aborted)
}

async function runToEnd(
  { talk, finish, again }: JobRun,
  engine: Engine,
  job: Job,
  stop: AbortController,
): Promise<void> {
  const sharesScreen = job.spec.output.some(({ path }) => path === '-') && !fstatSync(1).isFile()
  const options = { sharesScreen, afterMs: finish ? 1_500 : 0 }
  const block = new ProgressBlock(talk, process.stderr, () => engine.progress(job.id), options)
  // Proxy warnings were emitted before the progress block existed, so they are printed now.
  for (const warning of engine.proxies.judge(job.spec.policy.proxy ?? {})) block.note(`warning: ${warning}`)
  const unsubscribe = engine.listen((name, event) => hear(block, name, event))
  using _signals = stopOnSignals(stop, () =>
    block.note('stopping: tasks in flight may finish, nothing is lost (press again to stop at once)'),
  )
  try {
    await engine.run()
  } catch (error) {
    if (isClosedPipe(error))
      talk.say(`stdout was closed, so the job stopped; continue: kscrape jobs resume ${job.id}${again}`)
    throw error
  } finally {
    unsubscribe()
    block.stop()
  }
}

function hear(block: ProgressBlock, name: keyof Events, event: Events[keyof Events]): void {
  if (name === 'notice.given') block.note((event as Events['notice.given']).message)
  if (name === 'task.settled') {
    const { state, message, reason, url } = event as Events['task.settled']
    block.current = url
    if (state === 'pending') block.trouble = message ?? reason
  }
}

async function printJobEnd(
  run: JobRun,
  engine: Engine,
  jobId: string,
  tookMs: number,
  interrupted: boolean,
): Promise<void> {
  const { talk, finish, again, loaded, strict } = run
  const { job, counts } = await engine.progress(jobId)
  if (finish) await finish(engine, job)
  const { maxPagesPerJob } = loaded.settings
  process.exitCode = exitCodeOf({ job, counts, interrupted, strict, maxPagesPerJob })
  talk.tell({ ended: endingFacts(job, counts, tookMs, process.exitCode) })
  const whyNothing = foundNothing(counts)
    ? firstMessage(await engine.data.store.tasks.list(jobId, { states: ['succeeded'], limit: 100 }))
    : null
  const { records } = engine.data.store
  if (run.preview) printPreview(await recordPreview(records, job, previewSize()), counts.records)
  const missing = finish || talk.quiet ? null : await missingFields(records, job)
  if (!finish) sayEnding(talk, { job, counts, tookMs, again, whyNothing, missing, strict })
  await showWebhooks(talk, engine.data.store, job)
}

export const endingFacts = (job: Job, counts: JobCounts, tookMs: number, exitCode: number) => ({
  job_id: job.id,
  state: job.state,
  reason: job.reason,
  exit_code: exitCode,
  took_ms: tookMs,
  records: counts.records,
  pages: counts.pages,
  by_state: counts.byState,
  by_reason: counts.byReason,
  links_refused: counts.linksRefused,
  warnings: counts.warnings,
  outputs: job.spec.output.map(({ path }) => path),
})

/** The first signal stops the job gracefully; the second one ends the process at once. */
export function stopOnSignals(stop: AbortController, onFirst: () => void): Disposable {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted)
    onFirst()
    stop.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
