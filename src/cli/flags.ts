// Flags that several commands share, and what they make of settings and jobs.
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { SettingsInput } from '../config/settings.ts'
import { parseDuration, parseRate } from '../lib/units.ts'
import { Failure } from '../model/failures.ts'
import { type JobSpecInput, type Output, type OutputFormat, outputFormats } from '../model/job.ts'

/** Refused by commander itself, with the flag's name. */
function parsed<Value>(parse: (text: string) => Value): (text: string) => Value {
  return text => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message)
    }
  }
}

const whole = (least: number) =>
  parsed(text => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < least)
      throw new Error(`"${text}" is no whole number from ${least} on.`)
    return value
  })

const gathered = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

export interface CommonFlags {
  dataDir?: string
  json?: boolean
  quiet?: boolean
}

export const commonFlags = (command: Command): Command =>
  command
    .option('--data-dir <dir>', 'where jobs and raw pages are kept (SCRAPER_DATA_DIR, default .kscrape)')
    .option('--json', 'progress and summary as JSON lines on stderr')
    .option('-q, --quiet', 'no progress and no summary')

export interface FetchFlags extends CommonFlags {
  rate?: number | 'unlimited'
  concurrency?: number
  userAgent?: string
  contact?: string
  ignoreRobots?: boolean
  allowPrivate?: string[]
  header?: string[]
  cookies?: string
  timeout?: number
  retries?: number
}

export const fetchFlags = (command: Command): Command =>
  commonFlags(command)
    .option(
      '--rate <n/s>',
      'requests per second to one host, like 2/s, 30/m or unlimited (default 1/s)',
      parsed(parseRate),
    )
    .option('--concurrency <n>', 'requests in flight at a time', whole(1))
    .option('--user-agent <text>', 'who we say we are')
    .option('--contact <url|mail>', 'where a site owner can reach you; put into the user agent')
    .option('--ignore-robots', 'do not obey robots.txt (recorded in the job)')
    .option('--allow-private <host:port>', 'let this one private place be fetched (repeatable)', gathered)
    .option('--header <name: value>', 'send this header (repeatable)', gathered)
    .option('--cookies <file>', 'start with these cookies: cookies.txt or JSON')
    .option('--timeout <duration>', 'longest time for one request, like 500ms, 5s, 2m', parsed(parseDuration))
    .option('--retries <n>', 'further attempts after a failure that may pass (default 3)', whole(0))

export interface ScrapeFlags extends FetchFlags {
  format: 'markdown' | 'html' | 'text' | 'json' | 'links'
  extract?: string
}

export interface JobFlags extends FetchFlags {
  output?: string[]
  extract?: string
  raw?: boolean
  job?: string
}

export const jobFlags = (command: Command): Command =>
  fetchFlags(command)
    .option(
      '-o, --output <file>',
      'write records here: .jsonl .json .csv .tsv .parquet .md .warc.gz (repeatable; default JSONL on stdout)',
      gathered,
    )
    .option('--extract <rules.yaml>', 'extract these fields in place of the default record')
    .option('--no-raw', 'do not keep the raw pages')
    .option('--job <name>', 'an id of your own for the job')

export interface ScopeFlags {
  depth?: number
  maxPages?: number
  include?: string[]
  exclude?: string[]
  allowDomain?: string[]
  subdomains?: boolean
  sitemap?: 'include' | 'skip' | 'only'
}

export const scopeFlags = (command: Command): Command =>
  command
    .option('--depth <n>', 'how many links away from the start', whole(0))
    .option('--max-pages <n>', 'stop after this many pages', whole(1))
    .option('--include <glob>', "only URLs like this: '**/docs/**' (repeatable)", gathered)
    .option('--exclude <glob>', "no URLs like this: '**/cal/**' (repeatable)", gathered)
    .option('--allow-domain <domain>', 'follow links to this domain too (repeatable)', gathered)
    .option('--subdomains', 'follow links to all subdomains of the start')
    .addOption(
      new Option('--sitemap <use>', 'whether sitemaps are read').choices(['include', 'skip', 'only']),
    )

/** Flags that are settings: they win over the file and the environment. */
export function settingsOf(flags: FetchFlags): SettingsInput {
  return {
    ...(flags.dataDir !== undefined && { dataDir: flags.dataDir }),
    ...(flags.userAgent !== undefined && { userAgent: flags.userAgent }),
    ...(flags.contact !== undefined && { contact: flags.contact }),
    ...(flags.allowPrivate !== undefined && { allowPrivate: flags.allowPrivate }),
  }
}

/** Flags that belong to the job: they are kept with it, and hold after a resume. */
export function specOf(
  flags: JobFlags & ScopeFlags & { scraper?: string; urlColumn?: string },
): JobSpecInput {
  const { rate, concurrency } = flags
  return {
    ...(flags.job !== undefined && { jobId: flags.job }),
    ...(flags.depth !== undefined && { depth: flags.depth }),
    ...(flags.maxPages !== undefined && { maxPages: flags.maxPages }),
    ...(flags.include && { include: flags.include }),
    ...(flags.exclude && { exclude: flags.exclude }),
    ...(flags.allowDomain && { allowedDomains: flags.allowDomain }),
    ...(flags.subdomains && { subdomains: true }),
    ...(flags.sitemap && { sitemap: flags.sitemap }),
    ...(flags.scraper && { scraperId: flags.scraper }),
    ...(flags.urlColumn && { urlColumn: flags.urlColumn }),
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
    ...(concurrency !== undefined && { concurrency }),
    ...(flags.header && { headers: headersOf(flags.header) }),
    ...(flags.cookies && { cookiesFile: flags.cookies }),
    policy: {
      ...(flags.ignoreRobots && { robots: 'ignore' as const }),
      ...(flags.retries !== undefined && { retries: { attempts: flags.retries } }),
      host: {
        ...(rate !== undefined && { rate }),
        // Who names a rate and a number of requests at a time means both for the host.
        ...(concurrency !== undefined && rate !== undefined && rate !== 'unlimited' && { concurrency }),
      },
    },
    ...(flags.raw === false && { results: { raw: 'none' as const } }),
    output: (flags.output ?? []).map(outputOf),
  }
}

function headersOf(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      if (colon < 1) throw new Failure('input.invalid', `--header "${line}" is not "Name: value"`)
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
    }),
  )
}

export function outputOf(path: string): Output {
  if (path === '-') return { path, format: 'jsonl' }
  const format = outputFormats.find(ending => path.toLowerCase().endsWith(`.${ending}`))
  if (!format)
    throw new Failure(
      'input.invalid',
      `-o ${path}: the ending says the format, and this is none of ${outputFormats.map(ending => `.${ending}`).join(' ')}`,
    )
  return { path, format: format as OutputFormat }
}
