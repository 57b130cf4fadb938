// Starting a job from flags: settings, rules and outputs put together, then run to its end.
import { loadSettings } from '../config/load.ts'
import type { Job, JobSpecInput } from '../model/job.ts'
import type { Engine } from '../roles/engine.ts'
import { specFromFlags } from '../roles/job-input.ts'
import { type JobFlags, settingsOf } from './flags.ts'
import { runJob } from './run-job.ts'
import { talkOn } from './talk.ts'

export interface StartOptions {
  command: string
  /** A file whose rows become tasks. */
  source?: string
  /** Only gather URLs. */
  map?: boolean
  lanes?: number
  finish?: (engine: Engine, job: Job) => Promise<void>
}

export async function startSpec(flags: JobFlags, given: JobSpecInput, options: StartOptions): Promise<void> {
  const { command, finish } = options
  const talk = talkOn(process.stderr, flags)
  const loaded = await loadSettings(settingsOf(flags))
  const output = given.output?.length || finish ? given.output : [{ path: '-', format: 'jsonl' as const }]
  const spec = specFromFlags({ ...given, output }, flags.extract)
  const lanes = options.lanes ?? lanesFor(given)
  const start = (engine: Engine) => engine.submit(spec, options)
  await runJob({
    loaded,
    talk,
    command,
    start,
    ...(lanes !== undefined && { lanes }),
    ...(finish && { finish }),
  })
}

/** A polite crawl of a site or two is no work for threads. */
function lanesFor({ seedUrls, policy }: JobSpecInput): number | undefined {
  const rate = policy?.host?.rate ?? 1
  return seedUrls && rate !== 'unlimited' && rate * seedUrls.length <= 50 ? 0 : undefined
}
