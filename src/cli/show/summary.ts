// Prints the summary at the end of a job: outcomes by reason, written files, and useful commands.
import { relative } from 'node:path'
import { countOf, formatDuration } from '../../lib/text/units.ts'
import { hasEnded, type Job, type JobCounts } from '../../model/job.ts'
import type { MissingFields } from '../../pipeline/report/missing-fields.ts'
import { hasOnlyDeadLinks } from '../exit-codes.ts'
import { safe, type Talk } from '../talk.ts'

export interface Ended {
  job: Job
  counts: JobCounts
  tookMs: number
  /** Flags that later commands must repeat: the data directory or service, and private addresses allowed for this run. */
  again: string
  /** Why no page gave a record; null or absent if one did. */
  whyNothing?: string | null
  /** Fields of the rules that some records lack. */
  missing?: MissingFields | null
  /** Whether dead links of a crawl count as failures in the exit code. */
  strict?: boolean | undefined
}

export function sayEnding({ colors, say }: Talk, ended: Ended): void {
  const { job, counts, tookMs, whyNothing } = ended
  const head = job.state === 'completed' ? colors.green(job.state) : colors.yellow(job.state)
  const what = `${countOf(counts.records, 'record')} from ${countOf(counts.pages, 'page')}`
  say(
    `${head} ${colors.bold(job.id)}: ${what} in ${took(tookMs)}${job.reason ? ` (${safe(job.reason)})` : ''}`,
  )
  for (const [reason, count] of outcomeRows(counts)) say(`  ${String(count).padStart(7)}  ${reason}`)
  const odd = [
    ...[...deadLinks(ended), ...leftAlone(counts), ...warned(counts)],
    ...[...missingText(ended.missing), ...rowsNotRun(job)],
  ]
  for (const line of [...odd, ...filesOf(job)]) say(`  ${line}`)
  if (whyNothing) say(`  ${colors.yellow(safe(whyNothing))}`)
  for (const line of nextCommands(ended)) say(colors.dim(`  ${line}`))
}

/** Whether no page matched the rules of the job. */
export const foundNothing = ({ records, warnings }: JobCounts): boolean =>
  records === 0 && (warnings['extract.no-match'] ?? 0) > 0

export const firstMessage = (tasks: ReadonlyArray<{ message: string | null }>): string | null =>
  tasks.find(({ message }) => message !== null)?.message ?? null

const took = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : formatDuration(Math.round(ms / 1_000) * 1_000)

/** Counts by outcome: `ok` comes first, then the others sorted by frequency. Sitemaps have a line of their own, because they
 *  are not pages. Missing sitemaps are left out, because they are normal. */
function outcomeRows({ byReason, pages }: JobCounts): Array<[string, number]> {
  const { ok = 0, 'sitemap.missing': _, ...others } = byReason
  const rows: Array<[string, number]> = [
    ['ok', pages],
    ['ok (sitemaps)', ok - pages],
    ...Object.entries(others).sort(([, a], [, b]) => b - a),
  ]
  return rows.filter(([, count]) => count > 0)
}

function deadLinks({ job, counts, strict }: Ended): string[] {
  if (!hasOnlyDeadLinks(job, counts)) return []
  const code = strict ? '; because of --strict the exit code is 3' : ''
  return [`dead links: ${countOf(counts.byState.failed, 'link')} answered 404 or 410${code}`]
}

function leftAlone({ linksRefused }: JobCounts): string[] {
  const rows = Object.entries(linksRefused).filter(([, count]) => count > 0)
  return rows.length > 0
    ? [`links not followed: ${rows.map(([reason, count]) => `${count} ${reason}`).join(', ')}`]
    : []
}

function warned({ warnings }: JobCounts): string[] {
  const rows = Object.entries(warnings).filter(([, count]) => count > 0)
  return rows.length > 0 ? [`warnings: ${rows.map(([code, count]) => `${count} ${code}`).join(', ')}`] : []
}

const mostNamedFields = 5

function missingText(missing: MissingFields | null | undefined): string[] {
  if (!missing || missing.fields.length === 0) return []
  const { records, fields } = missing
  const named = fields
    .slice(0, mostNamedFields)
    .map(({ name, missing: gaps }) =>
      records === 1 ? name : `${name} in ${gaps === records ? 'all' : `${gaps} of`} ${records}`,
    )
  const more = fields.length > mostNamedFields ? `, and ${fields.length - mostNamedFields} more fields` : ''
  return [`missing: ${named.join(', ')}${more}`]
}

function rowsNotRun({ ingest }: Job): string[] {
  const { source, done, rows, blank, rejected, duplicates } = ingest
  if (source !== null && done && rows === 0) return [`${nameOf(source)} holds no rows`]
  if (rejected + duplicates + blank === 0) return []
  return [`rows not run: ${duplicates} duplicate, ${rejected} rejected, ${blank} blank or comment`]
}

function filesOf(job: Job): string[] {
  const files = job.spec.output.filter(({ path }) => path !== '-').map(({ path }) => nameOf(path))
  return files.map(file =>
    hasEnded(job.state) ? `wrote ${file}` : `${file} is completed when the job continues`,
  )
}

/** The path relative to the current folder, if the file is inside that folder. */
export function nameOf(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short
}

const moreOf: Readonly<Record<string, string>> = {
  'limit.pages': 'pages=N',
  'limit.bytes': 'bytes=2GB',
  'limit.browser-seconds': 'browser=1h',
  'limit.money': 'money=N',
}

function nextCommands({ job, counts, again, missing }: Ended): string[] {
  const { id, state, ingest, spec } = job
  const { failed } = counts.byState
  const skipped = counts.byState.skipped - (counts.byReason['sitemap.missing'] ?? 0)
  const lines: string[] = []
  if (job.reason?.startsWith('limit.'))
    lines.push(`more:    kscrape jobs raise ${id} ${moreOf[job.reason] ?? 'pages=N'}${placeOf(again)}`)
  if (!hasEnded(state)) lines.push(`resume:  kscrape jobs resume ${id}${again}`)
  if (hasEnded(state) && failed > 0 && !hasOnlyDeadLinks(job, counts))
    lines.push(`retry:   kscrape jobs retry ${id} --failed${again}`)
  if (failed > 0) lines.push(`failed:  kscrape jobs show ${id} --tasks failed${placeOf(again)}`)
  if (failed + skipped > 0 && !again.includes(' --server '))
    lines.push(`why:     kscrape explain ${id} URL${placeOf(again)}`)
  if (ingest.rejected > 0) lines.push(`rejects: kscrape jobs show ${id} --rejected${placeOf(again)}`)
  if (missing && missing.fields.length > 0)
    lines.push(`fields:  kscrape jobs show ${id} --provenance${placeOf(again)}`)
  if (counts.records > 0 && spec.output.every(({ format }) => format === 'jsonl'))
    lines.push(`export:  kscrape jobs export ${id} -o records.xlsx${placeOf(again)}`)
  return lines
}

const placeOf = (again: string): string => / --(data-dir|server) \S+/.exec(again)?.[0] ?? ''

/** Flags that a later command must repeat. */
export function againFlags(dataDir: string, allowPrivate: readonly string[] = []): string {
  const where = dataDir === '.kscrape' ? '' : ` --data-dir ${dataDir}`
  return where + allowPrivate.map(place => ` --allow-private ${place}`).join('')
}
