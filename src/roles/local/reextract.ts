// Re-extracts a job of a data directory: selects rules or a scraper, runs the extraction, and writes the output files.
import type { Writable } from 'node:stream'
import type { Loaded } from '../../config/load.ts'
import { systemClock } from '../../lib/clocks.ts'
import { Failure } from '../../model/failures.ts'
import { asksModel, type JobSpec, type Output } from '../../model/job.ts'
import { type ReextractEvents, reextractJob } from '../../pipeline/keep/reextract-job.ts'
import { describePage } from '../../pipeline/report/describe-page.ts'
import { readRules } from '../../pipeline/submit/job-input.ts'
import type { Reextraction } from '../../ports/store.ts'
import { exportJob } from '../../results/exports/export-job.ts'
import type { Registry } from '../../scraper/registry.ts'
import { ownDataDirectory } from '../data-directory.ts'
import { armFaultPoint } from '../fault-point.ts'
import { goldenIn } from '../lanes/open-lane.ts'
import { llmSettingsOf, refuseWithoutModel } from '../llm-settings.ts'
import { findScraperFiles, loadScrapers } from '../scrapers/scraper-files.ts'
import { jobNamed } from './look-up.ts'

interface ReextractRequest {
  jobId: string
  /** A file of rules. If neither rules nor a scraper are given, those of the job are used. */
  rulesFile?: string | undefined
  /** The scraper to use, as `id` or `id@version`. */
  scraper?: string | undefined
  /** Maximum number of tokens that the job may spend on a language model, in place of its own limit. */
  llmTokens?: number | undefined
  outputs: Output[]
}

interface ReextractOptions {
  events: ReextractEvents
  stdout: Writable
  signal: AbortSignal
}

export async function reextract(
  { settings, root }: Loaded,
  request: ReextractRequest,
  { events, stdout, signal }: ReextractOptions,
): Promise<Reextraction['done']> {
  const files = findScraperFiles(root)
  const registry = await loadScrapers(files)
  await using data = await ownDataDirectory(settings.dataDir, `reextract ${request.jobId}`)
  const { store, blobs } = data
  const job = await jobNamed(data, request.jobId)
  const revised = { ...job, spec: revisedSpec(job.spec, request, registry) }
  if (asksModel(revised.spec)) refuseWithoutModel(revised.spec, settings)
  const mark = armFaultPoint(settings.killPoint)
  const llm = llmSettingsOf(settings)
  const parts = { store, blobs, registry, clock: systemClock, mark, llm, golden: goldenIn(files) }
  const done = await reextractJob(parts, revised, events, signal)
  for (const output of request.outputs)
    await exportJob({ store, blobs, describePage, stdout }, revised, output)
  return done
}

function revisedSpec(given: JobSpec, request: ReextractRequest, registry: Registry): JobSpec {
  const { rulesFile, scraper, llmTokens } = request
  const spec = llmTokens === undefined ? given : { ...given, llmTokens }
  if (rulesFile && scraper) throw new Failure('input.invalid', 'give --rules or --scraper, not both')
  if (rulesFile) return { ...spec, scraperId: 'page', extract: readRules(rulesFile) }
  if (!scraper) return spec
  const { extract: _replaced, ...rest } = spec
  return { ...rest, scraperId: scraperIdOf(scraper, registry) }
}

/** A requested version must be the installed version, because records store the version of their scraper. */
function scraperIdOf(text: string, registry: Registry): string {
  const [id, version] = text.split('@') as [string, string | undefined]
  const found = registry.get(id)
  if (version === undefined || version === found.version) return id
  throw new Failure(
    'scraper.unknown',
    `the installed version of scraper ${id} is ${found.version}, not ${version}`,
    {
      id,
      version,
    },
  )
}
