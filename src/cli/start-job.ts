// Starting a job from flags: settings, rules and outputs put together, then run to its end.
import { loadSettings } from '../config/load.ts'
import { parseRulesFile } from '../extract/rules/rules-file.ts'
import { readTextFile } from '../lib/text-file.ts'
import type { Job, JobSpecInput } from '../model/job.ts'
import { parseJobSpec, type SubmitOptions } from '../pipeline/submit-job.ts'
import type { Engine } from '../roles/engine.ts'
import { type JobFlags, settingsOf } from './flags.ts'
import { runJob } from './run-job.ts'
import { talkOn } from './talk.ts'

export interface StartOptions extends SubmitOptions {
  command: string
  lanes?: number
  finish?: (engine: Engine, job: Job) => Promise<void>
}

export async function startSpec(flags: JobFlags, given: JobSpecInput, options: StartOptions): Promise<void> {
  const talk = talkOn(process.stderr, flags)
  const loaded = await loadSettings(settingsOf(flags))
  const extract = flags.extract ? parseRulesFile(readTextFile(flags.extract), flags.extract) : given.extract
  const output =
    given.output?.length || options.finish ? given.output : [{ path: '-', format: 'jsonl' as const }]
  const spec = parseJobSpec({ ...given, extract, output })
  const lanes = options.lanes ?? lanesFor(given)
  await runJob({
    loaded,
    talk,
    command: options.command,
    ...(lanes !== undefined && { lanes }),
    start: engine => engine.submit(spec, options),
    ...(options.finish && { finish: options.finish }),
  })
}

/** A polite crawl of a site or two is no work for threads. */
function lanesFor({ seedUrls, policy }: JobSpecInput): number | undefined {
  const rate = policy?.host?.rate ?? 1
  return seedUrls && rate !== 'unlimited' && rate * seedUrls.length <= 50 ? 0 : undefined
}
