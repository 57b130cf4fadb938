// Records a real run as a golden case: its exchanges, its input, and the records of a replay.

import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Loaded } from '../../config/load.ts'
import { readTextFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { isObject } from '../../model/json.ts'
import { readExchanges } from '../../results/warc-exchanges.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { openCatalogue } from './catalogue.ts'
import { goldenFolder, writeExpectation } from './golden-cases.ts'
import { type RecordedRun, recordRun } from './record-run.ts'
import { replaying } from './replay.ts'
import { type Outcome, type RunStart, runOver } from './run-over.ts'

interface RecordCase {
  loaded: Loaded
  /** A URL, a row as JSON, or a file with a row. */
  target: string
  scraperId: string
  /** The name of the case. Default: made from the target. */
  name?: string | undefined
  /** Whether an existing case of that name may be overwritten. */
  replace: boolean
  spec: JobSpecInput
  stop: AbortSignal
}

interface RecordedCase {
  name: string
  exchanges: number
  records: number
  /** Whether the replay gives the same result as the run. */
  isSame: boolean
}

export async function recordCase(request: RecordCase): Promise<RecordedCase> {
  const { loaded, scraperId, spec, stop } = request
  const catalogue = await openCatalogue(loaded.root)
  const { scraper } = catalogue.get(scraperId)
  const name = caseName(request)
  const folder = join(goldenFolder(catalogue.folder, scraperId), name)
  if (!request.replace) refuseTaken(folder)
  const run = await recordRun({ loaded, start: startOf(request.target), scraperId, spec, stop })
  const replayed = await replayOf(scraper, run)
  await writeCase(folder, run, replayed)
  return {
    name: `${scraperId}/${name}`,
    exchanges: run.exchanges,
    records: replayed.records.length,
    isSame: isDeepStrictEqual(replayed.records, run.records),
  }
}

/** The name of the case's folder. It is below the scraper's folder, so that nothing else is overwritten. */
function caseName({ name, target }: RecordCase): string {
  if (name === undefined) return slugOf(target)
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(name)) return name
  throw new Failure('input.invalid', `--case "${name}" may contain letters, digits, ".", "_" and "-"`, {
    name,
  })
}

function refuseTaken(folder: string): void {
  if (!existsSync(folder)) return
  const wayOut = 'give --case another name, or add --update'
  throw new Failure('input.invalid', `${folder} already exists; ${wayOut}`, { folder })
}

/** Replays the recording before it is stored, because a recording that cannot be replayed tests nothing. */
async function replayOf(scraper: Scraper, { recording, input }: RecordedRun): Promise<Outcome> {
  const exchanges = readExchanges(recording)
  if (exchanges.length === 0)
    throw new Failure('input.invalid', `${scraper.id} requested no page, so there is nothing to record`)
  const start = input ? { input } : { url: exchanges[0]?.request.url }
  const outcome = await runOver(scraper, start, replaying(exchanges, 'the new recording'))
  if (!outcome.failure) return outcome
  throw new Failure('scraper.failed', `the run succeeded, but its replay failed: ${outcome.failure.message}`)
}

async function writeCase(
  folder: string,
  { recording, input }: RecordedRun,
  replayed: Outcome,
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'recording.warc.gz'), recording)
  if (input) await writeFile(join(folder, 'input.json'), `${JSON.stringify(input, null, 2)}\n`)
  writeExpectation(folder, replayed)
}

function startOf(target: string): RunStart {
  if (/^https?:\/\//i.test(target)) return { url: target }
  const text = target.trimStart().startsWith('{') ? target : readTextFile(target)
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return { input: value }
  } catch {}
  throw new Failure(
    'input.invalid',
    `--record ${target.slice(0, 200)} is neither a URL nor a JSON object nor a file with one`,
  )
}

/** A readable name that is safe for a folder. Leaves out the query, which may contain secrets. */
function slugOf(target: string): string {
  const text = /^https?:/i.test(target) ? new URL(target).pathname : 'row'
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return slug || 'start'
}
