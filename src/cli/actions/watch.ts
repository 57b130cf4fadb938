// The action of kscrape watch: runs a job over the pages and compares it with the previous run.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { problemsOf } from '../../lib/text/problems.ts'
import { formatDuration } from '../../lib/text/units.ts'
import { Failure } from '../../model/failures.ts'
import type { Job } from '../../model/job.ts'
import { type Check, type IgnoreRules, ignoreRules } from '../../model/monitor.ts'
import { checkRun } from '../../pipeline/report/monitor-check.ts'
import type { Engine } from '../../roles/engine.ts'
import { exitCodes } from '../exit-codes.ts'
import { specOf } from '../flags/flag-spec.ts'
import type { FetchFlags } from '../flags/flags.ts'
import { targetsOf } from '../flags/targets.ts'
import { startSpec } from '../jobs/start-job.ts'
import { print, printJson } from '../print.ts'
import { safe } from '../talk.ts'

interface WatchFlags extends FetchFlags {
  every?: number
  crawl?: boolean
  depth?: number
  maxPages?: number
  extract?: string
  ignore?: string[]
  ignoreField?: string[]
  ignoreLine?: string[]
}

const mostChanges = 1_000
const label = 'watch'

export async function watch(given: string[], flags: WatchFlags): Promise<void> {
  const urls = targetsOf(given, flags)
  if (!flags.crawl && (flags.depth !== undefined || flags.maxPages !== undefined))
    throw new Failure('input.invalid', '--depth and --max-pages are limits of a crawl; add --crawl')
  const rules = rulesOf(flags)
  for (;;) {
    await look(urls, flags, rules)
    if (flags.every === undefined) return
    if (!flags.quiet && !flags.json) process.stderr.write(`next check in ${formatDuration(flags.every)}\n`)
    await sleep(flags.every)
  }
}

export function rulesOf({ ignore, ignoreField, ignoreLine }: WatchFlags): IgnoreRules {
  const given = {
    ...(ignore && { noise: ignore }),
    ...(ignoreField && { fields: ignoreField }),
    ...(ignoreLine && { lines: ignoreLine }),
  }
  const parsed = ignoreRules.safeParse(given)
  if (parsed.success) return parsed.data
  const [problem] = problemsOf(parsed.error)
  throw new Failure('input.invalid', `--ignore: ${problem?.message}`, { path: problem?.path })
}

async function look(urls: string[], flags: WatchFlags, rules: IgnoreRules): Promise<void> {
  const source = flags.crawl ? { seedUrls: urls } : { urls }
  const bounds = {
    ...(flags.depth !== undefined && { depth: flags.depth }),
    ...(flags.maxPages !== undefined && { maxPages: flags.maxPages }),
  }
  const name = createHash('sha256')
    .update(JSON.stringify([source, flags.extract ?? null]))
    .digest('hex')
    .slice(0, 32)
  const spec = { ...specOf(flags), ...source, ...bounds, maxAgeMs: 0, labels: { [label]: name } }
  // A missing page is a result of the watch, so it must not be a failure of the command.
  await startSpec({ ...flags, quiet: true }, spec, {
    command: `watch ${urls[0]}`,
    finish: (engine, job) => tell(engine, job, name, rules, flags),
  })
  if (process.exitCode === exitCodes.someFailed || process.exitCode === exitCodes.nothing)
    process.exitCode = exitCodes.ok
}

async function tell(
  engine: Engine,
  job: Job,
  name: string,
  rules: IgnoreRules,
  flags: WatchFlags,
): Promise<void> {
  const { store } = engine.data
  const runs = await store.jobs.list({
    ...{ labels: { [label]: name }, limit: 20 },
    states: ['completed', 'partially_completed', 'failed'],
  })
  const earlier = runs.filter(({ id, createdAt }) => id !== job.id && createdAt <= job.createdAt)
  const check = await checkRun(store, job, earlier, { rules, mostChanges })
  if (flags.json)
    printJson({ job_id: job.id, against: check.against, counts: check.counts, pages: check.changes })
  else print(linesOf(check).join('\n'))
}

export function linesOf({ against, counts, changes, isCut }: Check): string[] {
  if (against === null) return [`stored ${counts.new} pages; the next check shows changes`]
  const told = changes.flatMap(({ status, url, diff, reason }) => [
    `${status.padEnd(8)} ${url}${reason === null ? '' : `  ${safe(reason)}`}`,
    ...(diff ?? '')
      .split('\n')
      .filter(Boolean)
      .map(line => `    ${safe(line)}`),
  ])
  const sum = Object.entries(counts).map(([status, count]) => `${count} ${status}`)
  return [...told, ...(isCut ? ['… and more'] : []), sum.join(', ')]
}
