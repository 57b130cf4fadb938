// Running jobs from the command line: the engine, the progress block, Ctrl-C, the summary and the exit code.
import type { Loaded } from '../config/load.ts'
import type { Job } from '../model/job.ts'
import { Engine } from '../roles/engine.ts'
import { exitCodeOf } from './exit-codes.ts'
import { ProgressBlock } from './progress-block.ts'
import { sayEnding } from './summary.ts'
import type { Talk } from './talk.ts'

export interface JobRun {
  loaded: Loaded
  talk: Talk
  /** As typed, for whoever finds the data directory locked. */
  command: string
  lanes?: number
  /** Submits or reopens the job. */
  start: (engine: Engine) => Promise<Job>
  /** Says what came out, in place of the usual summary. */
  finish?: (engine: Engine, job: Job) => Promise<void>
}

export async function runJob(run: JobRun): Promise<void> {
  const stop = stopOnSignals(run.talk)
  const { loaded, command, lanes, talk } = run
  await using engine = await Engine.open(loaded, {
    command,
    stop: stop.signal,
    stdout: process.stdout,
    ...(lanes !== undefined && { lanes }),
  })
  const startedAt = Date.now()
  const { id } = await run.start(engine)
  const block = new ProgressBlock(talk, process.stderr, () => engine.progress(id))
  const deaf = engine.listen(
    (name, event) => name === 'notice.given' && block.note((event as { message: string }).message),
  )
  await engine.run()
  deaf()
  block.stop()
  const { job, counts } = await engine.progress(id)
  if (run.finish) await run.finish(engine, job)
  if (talk.json) process.stderr.write(`${JSON.stringify({ level: 'info', ended: endingOf(job, counts) })}\n`)
  else if (!run.finish) sayEnding(talk, job, counts, Date.now() - startedAt, loaded.settings.dataDir)
  process.exitCode = exitCodeOf({ job, counts, interrupted: stop.signal.aborted })
}

const endingOf = (job: Job, counts: Awaited<ReturnType<Engine['progress']>>['counts']) => ({
  job_id: job.id,
  state: job.state,
  reason: job.reason,
  records: counts.records,
  pages: counts.pages,
  by_state: counts.byState,
  by_reason: counts.byReason,
})

/** The first signal stops cleanly; a second one at once. */
function stopOnSignals(talk: Talk): AbortController {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130)
    talk.say('stopping: what runs may finish, nothing is lost (again to stop at once)')
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller
}
