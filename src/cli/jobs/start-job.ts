// Starts a job from flags: combines settings, rules and outputs, then runs the job to its end.
import { statSync } from 'node:fs'
import type { Client } from '../../client.ts'
import { loadSettings } from '../../config/load.ts'
import { Failure } from '../../model/failures.ts'
import type { GivenSpec, Job, JobSpecInput } from '../../model/job.ts'
import { specFromFlags } from '../../pipeline/submit/job-input.ts'
import type { SubmitOptions } from '../../pipeline/submit/submit-job.ts'
import type { Engine } from '../../roles/engine.ts'
import { builtinScrapers } from '../../scraper/builtin/index.ts'
import { settingsOf } from '../flags/flag-spec.ts'
import type { FetchFlags, JobFlags } from '../flags/flags.ts'
import { serviceFor } from '../service.ts'
import { againFlags, nameOf } from '../show/summary.ts'
import { talkOn } from '../talk.ts'
import { defaultOutput } from './default-output.ts'
import { runJob } from './run-job.ts'

interface StartOptions extends SubmitOptions {
  command: string
  lanes?: number
  /** Whether dead links of a crawl count as failures in the exit code. */
  strict?: boolean | undefined
  finish?: (engine: Engine, job: Job) => Promise<void>
  /** Like `finish`, for a job that a service ran. */
  finishThere?: (service: Client, jobId: string) => Promise<void>
  /** Whether a service may run the job. */
  mayBeRemote?: boolean
  /** Whether the source is a local copy of stdin, from which the job can be resumed. A service does not need it, because it
   *  stores its own copy. */
  isCopy?: boolean
}

export async function startSpec(flags: JobFlags, given: JobSpecInput, options: StartOptions): Promise<void> {
  await startJob(flags, specFromFlags(given, flags.extract), options)
}

/** Runs a job. Without an output, records go to stdout. On a terminal they go to a file, and the first ones are printed. */
export async function startJob(flags: FetchFlags, spec: GivenSpec, options: StartOptions): Promise<void> {
  const { command, finish } = options
  const service = options.mayBeRemote ? await serviceFor(flags) : null
  if (service) return (await import('./run-on-service.ts')).runOnService(service, flags, spec, options)
  const loaded = await loadSettings(settingsOf(flags))
  const isUnnamed = spec.output.length === 0 && !finish
  const output = isUnnamed ? [defaultOutput(spec, options.source)] : spec.output
  const lanes = options.lanes ?? lanesFor(spec, options.source)
  const talk = talkOn(process.stderr, flags)
  const preview = isUnnamed && output[0]!.path !== '-'
  if (preview) talk.say(`records go to ${nameOf(output[0]!.path)}`)
  if (isConcurrencyIdle(flags, spec)) talk.say(concurrencyHint(flags.concurrency!))
  await runJob({
    loaded,
    talk,
    command,
    strict: options.strict,
    preview,
    again: againFlags(loaded.settings.dataDir, flags.allowPrivate),
    start: engine => engine.submit({ ...spec, output }, options).catch(withoutPath),
    withoutFiles: isBuiltIn(spec.scraperId),
    ...(lanes !== undefined && { lanes }),
    ...(finish && { finish }),
  })
}

/** Whether `--concurrency` has no effect. At the default rate, a host gets only one request per second. */
export const isConcurrencyIdle = (
  { concurrency = 1, rate }: Pick<FetchFlags, 'concurrency' | 'rate'>,
  { seedUrls }: Pick<GivenSpec, 'seedUrls'>,
): boolean => concurrency > 1 && rate === undefined && seedUrls !== undefined

const concurrencyHint = (concurrency: number): string =>
  `--concurrency ${concurrency} changes nothing at the default rate of one request a second per site; --rate raises it`

const isBuiltIn = (scraperId: string): boolean => builtinScrapers.some(({ id }) => id === scraperId)

/** Removes paths such as `seed_urls[0]` from a message, because they mean nothing on a command line. */
function withoutPath(error: unknown): never {
  if (!(error instanceof Failure) || !/^(seed_)?urls\[0\]$/.test(String(error.details.path))) throw error
  const message = error.message.replace(/^\S+: /, '')
  throw new Failure(error.code, message, error.details, { cause: error })
}

/** Number of lane threads. Small jobs need none: few pages, a short list, or a crawl whose rate over all its start hosts is
 *  low. */
function lanesFor(
  { seedUrls, urls, items, maxPages, policy }: GivenSpec,
  source?: string,
): number | undefined {
  const rate = policy?.host?.rate ?? 1
  const pages = maxPages ?? urls?.length ?? items?.length ?? Number.POSITIVE_INFINITY
  const isShort = pages <= fewPages || (source !== undefined && statSync(source).size <= shortListBytes)
  const isPolite = seedUrls && rate !== 'unlimited' && rate * seedUrls.length <= 50
  return isShort || isPolite ? 0 : undefined
}

const fewPages = 50
const shortListBytes = 4_000
