// Records a real run as a golden case: exchanges, input, and the records that their replay gives.
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Loaded } from '../../config/load.ts'
import { readTextFile } from '../../lib/text-file.ts'
import { Failure } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { readExchanges } from '../../results/warc-exchanges.ts'
import { openCatalogue } from './catalogue.ts'
import { goldenFolder, writeExpectation } from './golden-cases.ts'
import { recordRun } from './record-run.ts'
import { replaying } from './replay.ts'
import { type RunStart, runOver } from './run-over.ts'

export interface RecordCase {
  loaded: Loaded
  /** A URL, a row as JSON, or a file that holds one. */
  target: string
  scraperId: string
  /** From the target when not given. */
  name?: string | undefined
  /** Whether a case of that name may be written over. */
  replace: boolean
  spec: JobSpecInput
  stop: AbortSignal
}

export interface RecordedCase {
  name: string
  exchanges: number
  records: number
  /** Whether the replay gives what the run gave. */
  isSame: boolean
}

export async function recordCase(request: RecordCase): Promise<RecordedCase> {
  const { loaded, scraperId, spec, stop } = request
  const catalogue = await openCatalogue(loaded.root)
  const { scraper } = catalogue.get(scraperId)
  const start = startOf(request.target)
  const name = request.name ?? slugOf(request.target)
  const folder = join(goldenFolder(catalogue.folder, scraperId), name)
  if (existsSync(folder) && !request.replace)
    throw new Failure(
      'input.invalid',
      `${folder} is there already; give --case another name, or add --update`,
      { folder },
    )
  const run = await recordRun({ loaded, start, scraperId, spec, stop })
  const exchanges = readExchanges(run.recording)
  const replayed = await runOver(
    scraper,
    run.input ? { input: run.input } : { url: exchanges[0]?.request.url },
    replaying(exchanges, 'the new recording'),
  )
  if (replayed.failure)
    throw new Failure(
      'scraper.failed',
      `the run went well, but its replay does not: ${replayed.failure.message}`,
    )
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'recording.warc.gz'), run.recording)
  if (run.input) await writeFile(join(folder, 'input.json'), `${JSON.stringify(run.input, null, 2)}\n`)
  writeExpectation(folder, replayed)
  return {
    name: `${scraperId}/${name}`,
    exchanges: run.exchanges,
    records: replayed.records.length,
    isSame: isDeepStrictEqual(replayed.records, run.records),
  }
}

function startOf(target: string): RunStart {
  if (/^https?:\/\//i.test(target)) return { url: target }
  const text = target.trimStart().startsWith('{') ? target : readTextFile(target)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { input: value as Record<string, unknown> }
  } catch {}
  throw new Failure(
    'input.invalid',
    `--record ${target.slice(0, 200)} is neither a URL nor a JSON object nor a file with one`,
  )
}

/** Readable, and safe as a folder's name. No query: it may hold what must not be kept. */
function slugOf(target: string): string {
  const text = /^https?:/i.test(target) ? new URL(target).pathname : 'row'
  const slug = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return slug || 'start'
}
