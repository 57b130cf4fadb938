// Finds and reads golden pages: stored pages of a scraper with their expected records.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { readTextFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'
import { isObject } from '../../model/json.ts'
import type { Page } from '../../model/page/page.ts'
import type { RecordData } from '../../model/record.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { readExchanges, type WarcExchange } from '../../results/warc-exchanges.ts'
import { answeringAll, replaying } from './replay.ts'
import type { Outcome, RunStart } from './run-over.ts'

export interface GoldenCase {
  /** The name of the case, such as `parcel-tax/two-owners`. */
  name: string
  folder: string
  start: RunStart
  /** Creates a fetch for one run. Each new fetch starts at the first response again. */
  open: () => Fetch
  /** Whether the case is part of the program. Such cases are never overwritten. */
  isShipped: boolean
}

export const goldenFolder = (scrapersFolder: string, id: string): string => join(scrapersFolder, 'golden', id)

/** Golden pages of the built-in scrapers. */
const shippedFolder = join(import.meta.dirname, '../../scraper/builtin/golden')

/** The cases in the folder of the user's scrapers. */
export function findGoldenCases(scrapersFolder: string, id: string): GoldenCase[] {
  return foldersIn(goldenFolder(scrapersFolder, id)).map(folder => openCase(folder, false))
}

/** All cases of a scraper. The cases of a built-in scraper that are part of the program come first. */
export const findAllGoldenCases = (scrapersFolder: string, id: string): GoldenCase[] => [
  ...shippedFolders(id).map(folder => openCase(folder, true)),
  ...findGoldenCases(scrapersFolder, id),
]

export const shippedFolders = (id: string): string[] => foldersIn(join(shippedFolder, id))

export function foldersIn(path: string): string[] {
  if (!existsSync(path)) return []
  const entries = readdirSync(path, { withFileTypes: true }).filter(entry => entry.isDirectory())
  return entries.map(entry => join(path, entry.name)).sort()
}

function openCase(folder: string, isShipped: boolean): GoldenCase {
  const name = `${basename(dirname(folder))}/${basename(folder)}`
  const input = readInput(folder)
  const files = readdirSync(folder).sort()
  const recordings = files.filter(file => /\.warc(\.gz)?$/.test(file))
  const file = files.find(entry => /^page\.\w+$/.test(entry))
  if (recordings.length > 0) return { ...recordedCase(name, folder, recordings, input), isShipped }
  if (file) return { ...pageCase(name, folder, file, input), isShipped }
  if (input) return { ...pagelessCase(name, folder, input), isShipped }
  throw new Failure(
    'input.invalid',
    `golden case ${name} has no page.html, no .warc.gz and no input.json, so there is nothing to run`,
    { folder },
  )
}

type OpenedCase = Omit<GoldenCase, 'isShipped'>

/** A case without pages. If its scraper requests a page, the request fails as not recorded. */
const pagelessCase = (name: string, folder: string, input: RunStart['input']): OpenedCase => ({
  ...{ name, folder, start: { input } },
  open: () => replaying([], `${name}, which has no pages`),
})

function recordedCase(name: string, folder: string, files: string[], input: RunStart['input']): OpenedCase {
  const exchanges: WarcExchange[] = files.flatMap(file => readExchanges(readFileSync(join(folder, file))))
  const start = input ? { input } : { url: exchanges[0]?.request.url }
  return { name, folder, start, open: () => replaying(exchanges, `${name}/${files.join(', ')}`) }
}

function pageCase(name: string, folder: string, file: string, input: RunStart['input']): OpenedCase {
  const page = pageOfFile(join(folder, file), `https://golden.example/${name}`)
  const start = input ? { input } : { url: page.url }
  return { name, folder, start, open: () => answeringAll(page, `${name}/${file}`) }
}

function readInput(folder: string): Record<string, unknown> | undefined {
  const path = join(folder, 'input.json')
  if (!existsSync(path)) return undefined
  const value = readJson(path)
  if (isObject(value)) return value
  throw new Failure('input.invalid', `${path} must hold one object: the row that the scraper gets`, { path })
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readTextFile(path))
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(
      'input.invalid',
      `${path} is not JSON: ${(cause as Error).message}`,
      { path },
      { cause },
    )
  }
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.xhtml': 'application/xhtml+xml',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.txt': 'text/plain; charset=utf-8',
  '.pdf': 'application/pdf',
}

const pageOfFile = (path: string, url: string): Page =>
  madePage(url, readFileSync(path), { 'content-type': types[extname(path)] ?? 'application/octet-stream' })

/** A page that was not fetched. Its fetch time is fixed, so that records that contain this time never change. */
export function madePage(url: string, body: Buffer, headers: Record<string, string>, status = 200): Page {
  const at = Date.UTC(2026, 0, 1)
  return {
    ...{
      url,
      finalUrl: url,
      status,
      body,
      wireBytes: body.length,
      hops: [],
      remoteAddress: null,
      httpVersion: '1.1',
    },
    headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    startedAt: at,
    sentAt: at,
    endedAt: at,
  }
}

/** The expected result of a case: records, or a failure for pages that must be refused. Null if none is stored. */
type Expectation = { records: RecordData[] } | { failure: string } | null

export function expectationOf(folder: string): Expectation {
  const failure = join(folder, 'failure.json')
  if (existsSync(failure)) return { failure: String((readJson(failure) as { code?: unknown }).code) }
  const path = join(folder, 'record.json')
  if (!existsSync(path)) return null
  const value = readJson(path) as RecordData | RecordData[]
  return { records: Array.isArray(value) ? value : [value] }
}

/** Stores the outcome as the expected result: its records, or the code of its failure. */
export function writeExpectation(folder: string, { records, failure }: Outcome): void {
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)
  if (failure) write('failure.json', { code: failure.code })
  else write('record.json', records.length === 1 ? records[0] : records)
}
