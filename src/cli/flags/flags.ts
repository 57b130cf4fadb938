// Flags that several commands share. flag-spec.ts turns them into settings and jobs; it is loaded when a command runs.

import type { Command } from 'commander'
import { suggest } from '../../lib/text/suggest.ts'
import { parseDuration, parseRate } from '../../lib/text/units.ts'
import { piiModes } from '../../model/personal-data.ts'
import { type PageColumn, pageColumns } from '../../model/table-shape.ts'
import { gathered, oneOf, parsed, whole } from './flag-values.ts'
import { type InlineField, parseField } from './inline-fields.ts'
import { parseLimit, type TypedLimit } from './limit-text.ts'
import { type ProxyFlags, proxyFlags } from './proxy-flags.ts'
import type { RenderFlags } from './render-flags.ts'

export interface CommonFlags {
  dataDir?: string
  /** The URL of a service, for commands that can use one instead of the data directory. */
  server?: string
  apiKey?: string
  json?: boolean
  quiet?: boolean
}

/** Flags of commands that can use a service instead of the data directory. */
export const serverFlags = (command: Command): Command =>
  command
    .optionsGroup('General:')
    .option('--server <url>', 'use this service instead of a data directory (SCRAPER_SERVER)')
    .option('--api-key <key>', 'API key of the service (SCRAPER_API_KEY is safer: other users can see flags)')

/** Flags of commands that need a service. */
export const serviceFlags = (command: Command): Command =>
  command
    .optionsGroup('General:')
    .option('--server <url>', 'the service (SCRAPER_SERVER)')
    .option('--api-key <key>', 'API key of the service (SCRAPER_API_KEY is safer: other users can see flags)')
    .option('--json', 'print the result and errors as JSON')
    .optionsGroup('Options:')

/** Flags of commands that only read. */
export const lookFlags = (command: Command): Command =>
  command
    .optionsGroup('General:')
    .option('--data-dir <dir>', 'the folder for jobs and raw pages (SCRAPER_DATA_DIR, default .kscrape)')
    .option('--json', 'print the result and errors as JSON')

/** Flags of commands that change something. */
export const steerFlags = (command: Command): Command =>
  lookFlags(command).option('-q, --quiet', 'print nothing on success')

/** Flags of commands that run a job. */
export const commonFlags = (command: Command): Command =>
  command
    .optionsGroup('General:')
    .option('--data-dir <dir>', 'the folder for jobs and raw pages (SCRAPER_DATA_DIR, default .kscrape)')
    .option('--json', 'progress, summary and errors as JSON lines on stderr')
    .option('-q, --quiet', 'no progress and no summary')

export interface FetchFlags extends CommonFlags, RenderFlags, ProxyFlags {
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

/** Flags about requests. */
export const fetchFlags = (command: Command): Command =>
  proxyFlags(command)
    .optionsGroup('Requests:')
    .option(
      '--rate <n/s>',
      'requests per second to one host, like 2/s, 30/m or unlimited (default: the policy of the domain, else SCRAPER_RATE, else 1/s)',
      parsed(parseRate),
    )
    .option('--concurrency <n>', 'maximum number of requests in flight', whole(1, 10_000))
    .option('--user-agent <text>', 'the user agent (stored with the job)')
    .option('--contact <url|mail>', 'a contact for site owners; added to the user agent')
    .option('--ignore-robots', 'do not obey robots.txt (recorded in the job)')
    .option(
      '--allow-private <host:port>',
      'allow this private address (repeatable; not stored with the job, so repeat it on resume)',
      gathered,
    )
    .option('--header <name: value>', 'send this header (repeatable)', gathered)
    .option('--cookies <file>', 'start with these cookies: cookies.txt or JSON')
    .option('--timeout <duration>', 'longest time for one request, like 500ms, 5s, 2m', parsed(parseDuration))
    .option(
      '--retries <n>',
      'retries after a temporary failure (default 3, unless the scraper or the policy of the domain sets it)',
      whole(0, 20),
    )

export const pageFormats = ['markdown', 'html', 'text', 'json', 'links'] as const

export interface ScrapeFlags extends FetchFlags, ExtractFlags, OutputFlags, RuleFlags {
  full?: boolean
  format: (typeof pageFormats)[number]
  maxAge?: number
  wait: number
}

/** The flag for cached responses. Without it, no response is cached or reused. */
export const maxAgeFlag = (command: Command): Command =>
  command
    .optionsGroup('Requests:')
    .option(
      '--max-age <duration>',
      'reuse responses up to this age, like 1h, also of other jobs; older responses are revalidated by ETag, and personal responses are never reused',
      parsed(parseDuration),
    )

interface RuleFlags {
  extract?: string
  field?: InlineField[]
  each?: string
}

/** Flags for the fields of a record: rules in a file, or on the command line. */
export const ruleFlags = (command: Command, extract: string): Command =>
  command
    .option('--extract <rules.yaml>', extract)
    .option(
      '--field <name=selector:type>',
      'extract this field: name=h1, price=.price:money, tags[]=.tag (repeatable)',
      (text: string, before: InlineField[] | undefined) => [...(before ?? []), parsed(parseField)(text)],
    )
    .option('--each <selector>', 'with --field: a record for each element that matches')

interface ExtractFlags {
  llm?: (typeof llmUses)[number]
  llmTokens?: number
  pii?: (typeof piiModes)[number]
}
const llmUses = ['off', 'fallback', 'propose-rules'] as const
export const extractFlags = (command: Command): Command =>
  command
    .optionsGroup('Extraction:')
    .option(
      '--llm <use>',
      'for required and wanted fields that the rules do not find: off, fallback to ask a language model (SCRAPER_LLM_MODEL) for the value, or propose-rules to let it propose rules too (default off)',
      oneOf(llmUses),
    )
    .option(
      '--llm-tokens <n>',
      'tokens that the job may spend on the model (default 200000)',
      whole(1, 1_000_000_000),
    )
    .option(
      '--pii <mode>',
      'personal data in records, such as e-mail addresses: keep, mask or drop (default keep, or SCRAPER_PII)',
      oneOf(piiModes),
    )

export interface TableFlags {
  keepColumns?: boolean
  explode?: string
  pageColumns?: PageColumn[]
}

/** Flags for the rows and columns of CSV, TSV, XLSX and Parquet files. */
export const tableFlags = (command: Command): Command =>
  command
    .option('--keep-columns', 'write the columns of the input row beside the fields instead of in _input')
    .option('--explode <field>', 'in tables: write a row for each element of this list')
    .option(
      '--page-columns <names>',
      `in tables: the _page_… columns to write: ${pageColumns.join(', ')}, all or none (default url,status,fetched_at)`,
      parsed(parsePageColumns),
    )

export interface OutputFlags extends TableFlags {
  output?: string[]
}

/** `usual` says in the help what happens without `-o`. */
export const outputFlag = (
  command: Command,
  usual = 'JSONL on stdout, or on a terminal a new file like example.com.jsonl',
): Command =>
  tableFlags(
    command
      .optionsGroup('Output:')
      .option(
        '-o, --output <file>',
        `write records to this file: .jsonl .json .csv .tsv .xlsx .parquet .md .sqlite, pages as .warc.gz .wacz .cdxj .har (repeatable; creates folders, replaces existing files; default: ${usual})`,
        gathered,
      ),
  )

export interface JobFlags extends FetchFlags, OutputFlags, ExtractFlags, RuleFlags {
  raw?: boolean
  archive?: boolean
  job?: string
  webhook?: string
  maxAge?: number
  limit?: TypedLimit[]
}

export const jobFlags = (command: Command): Command =>
  extractFlags(
    maxAgeFlag(
      ruleFlags(outputFlag(command), 'extract these fields instead of the default record')
        .option('--no-raw', 'do not store raw pages')
        .option(
          '--archive',
          'also store the CSS, images, scripts and data that rendered pages load, so that a viewer can replay a .wacz',
        )
        .option('--job <name>', 'your own id for the job')
        .option('--webhook <url>', 'notify this URL when the job ends')
        .option(
          '--limit <name=amount>',
          'pause the job at this limit until `jobs raise`: pages=500, bytes=2GB, browser=30m or money=5 (repeatable)',
          (text: string, before: TypedLimit[] | undefined) => [...(before ?? []), parsed(parseLimit)(text)],
        ),
    ),
  )

export interface ScopeFlags {
  depth?: number
  maxPages?: number
  include?: string[]
  exclude?: string[]
  allowDomain?: string[]
  subdomains?: boolean
  sitemap?: 'include' | 'skip' | 'only'
}

export const scopeFlags = (command: Command, usualDepth = 'no limit'): Command =>
  command
    .optionsGroup('Scope:')
    .option('--depth <n>', `how many links away from the start (default: ${usualDepth})`, whole(0, 1_000))
    .option('--max-pages <n>', 'stop after this many pages', whole(1, 1_000_000_000))
    .option(
      '--include <glob>',
      "only URLs like this: '**/docs/**', '/docs/**' by path, '*.html' by name (repeatable)",
      gathered,
    )
    .option('--exclude <glob>', "no URLs like this: '**/cal/**' (repeatable)", gathered)
    .option('--allow-domain <domain>', 'follow links to this domain too (repeatable)', gathered)
    .option('--subdomains', 'follow links to all subdomains of the start')
    .option(
      '--sitemap <use>',
      'sitemaps: include, skip or only (default include; skip with --depth 0)',
      oneOf(['include', 'skip', 'only']),
    )

function parsePageColumns(text: string): PageColumn[] {
  if (text === 'all') return [...pageColumns]
  if (text === 'none') return []
  const names = text
    .split(',')
    .map(name => name.trim().replace(/^_page_/, ''))
    .filter(name => name !== '')
  return names.map(pageColumnOf)
}

function pageColumnOf(name: string): PageColumn {
  const known = pageColumns.find(column => column === name)
  if (known) return known
  const meant = suggest(name, pageColumns)
  const hint = meant ? `did you mean "${meant}"?` : `use ${pageColumns.join(', ')}, all or none`
  throw new Error(`"${name}" is not a page column; ${hint}`)
}
