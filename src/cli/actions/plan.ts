// The action of kscrape plan: makes the plan locally or at a service, and prints it.
import { countOf, formatBytes, formatDuration, formatRate } from '../../lib/text/units.ts'
import type { JobPlan } from '../../model/api/plan.ts'
import { Failure } from '../../model/failures.ts'
import type { GivenSpec } from '../../model/job.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import { roughly } from '../../model/policy/pace.ts'
import { specFromFlags } from '../../pipeline/submit/job-input.ts'
import { planHere } from '../../roles/local/plan-job.ts'
import { specOf } from '../flags/flag-spec.ts'
import type { FetchFlags, ScopeFlags } from '../flags/flags.ts'
import { targetsOf } from '../flags/targets.ts'
import { inputFile } from '../jobs/input-file.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { stopOnSignals } from '../jobs/run-job.ts'
import { print, printJson } from '../print.ts'
import { refuseLocalFlags, serviceFor } from '../service.ts'
import { safe } from '../talk.ts'

interface PlanFlags extends FetchFlags, ScopeFlags {
  urlColumn?: string
}

export async function runPlan(target: string, flags: PlanFlags): Promise<void> {
  const isUrl = /^https?:\/\//i.test(target)
  if (isUrl) targetsOf([target])
  const spec = specFromFlags({ ...specOf(flags), ...(isUrl && { seedUrls: [target] }) })
  const plan = await planned(target, isUrl, spec, flags)
  if (flags.json) printJson(mapKeys(plan, snake))
  else for (const line of planLines(plan)) print(safe(line))
}

async function planned(target: string, isUrl: boolean, spec: GivenSpec, flags: PlanFlags): Promise<JobPlan> {
  const service = await serviceFor(flags)
  if (service && isUrl) {
    refuseLocalFlags(flags)
    const { output, ...job } = spec
    return await service.plan(job as Parameters<typeof service.plan>[0])
  }
  if (service)
    throw new Failure(
      'input.invalid',
      'a service cannot read this file; upload it and POST /plan with its upload_id, or leave out --server',
    )
  const stop = new AbortController()
  using _signals = stopOnSignals(stop, () => process.stderr.write('stopping\n'))
  const file = isUrl ? {} : { file: await inputFile(target, flags.dataDir) }
  return await planHere(await settingsFor(flags), { spec, ...file, stop: stop.signal })
}

export function planLines(plan: JobPlan): string[] {
  const { pages, sample, estimate } = plan
  return [
    `pages:   ${pages.count === null ? 'unknown' : `about ${pages.count}`} on ${countOf(pages.hosts, 'host')} (${pages.basis})`,
    ...(pages.disallowed > 0 ? [`         ${pages.disallowed} more are disallowed by robots.txt`] : []),
    ...plan.hosts.slice(0, 5).map(hostLine),
    ...(plan.hosts.length > 5 ? [`         and ${pages.hosts - 5} more hosts`] : []),
    `sample:  ${sample.ok} of ${countOf(sample.pages, 'page')} were fetched, ${formatBytes(sample.bytesPerPage)} and ${sample.millisecondsPerPage} ms each${failureText(sample.failures)}`,
    `browser: needed for ${sample.needBrowser} of these pages${sample.whyBrowser ? ` (${sample.whyBrowser})` : ''}`,
    `takes:   ${timeText(estimate)}`,
    ...(estimate.bytes === null ? [] : [`traffic: about ${formatBytes(estimate.bytes)}`]),
    ...(estimate.browserPages ? [`         ${countOf(estimate.browserPages, 'page')} by a browser`] : []),
    ...(estimate.money === null
      ? []
      : [`costs:   about ${estimate.money.toFixed(2)} at the configured prices`]),
    ...plan.notes.map(note => `note:    ${note}`),
    `fetched: ${countOf(plan.asked.length, 'page')} besides robots.txt, for this estimate; they are not stored`,
  ]
}

function hostLine({ host, pages, rate, crawlDelayMs, robots }: JobPlan['hosts'][number]): string {
  const delay = crawlDelayMs === null ? '' : `, crawl-delay ${formatDuration(crawlDelayMs)}`
  return `         ${host}: ${pages} at ${formatRate(rate)}${delay}, robots.txt ${robots}`
}

const failureText = (failures: Record<string, number>): string => {
  const rows = Object.entries(failures).map(([reason, count]) => `${count} ${reason}`)
  return rows.length > 0 ? `; ${rows.join(', ')}` : ''
}

const timeText = ({ seconds, secondsPerThousandPages, why }: JobPlan['estimate']): string =>
  seconds === null
    ? `${formatDuration(secondsPerThousandPages * 1_000)} for every thousand pages: ${why}`
    : `about ${formatDuration(roughly(seconds * 1_000))}: ${why}`
