// Translates a Firecrawl monitor into a monitor of this service: the job of each check, and the notifications.

import { cutMark } from '../../../../lib/secrets/secret-forms.ts'
import { longLabels, readLongLabels } from '../../../../lib/text/long-labels.ts'
import type { Caller } from '../../../../model/access.ts'
import type { GivenSpec } from '../../../../model/job.ts'
import { mapKeys, snake } from '../../../../model/letter-case.ts'
import { type MonitorBody, monitorBody } from '../../../../model/monitor.ts'
import { firecrawlMonitorLabel } from '../../../../model/own-labels.ts'
import type { Schedule } from '../../../../model/schedule.ts'
import { mayBeSecret, openHeaders } from '../../../../pipeline/submit/sealed-headers.ts'
import { rulesOfSchema } from '../../../../pipeline/work/documents/schema-fields.ts'
import type { Sealer } from '../../../../ports/secrets.ts'
import type { Server } from '../../../parts.ts'
import { originRefusals, sortUrls } from '../given-urls.ts'
import { preparedOptions } from '../prepare-options.ts'
import { refused } from '../problems.ts'
import { specContext } from '../routes.ts'
import { bodies } from '../schemas.ts'
import { crawlSpec, listSpec } from '../spec.ts'
import { cronOf, type MonitorTarget, type NewMonitor } from './monitor-schemas.ts'

/** The fields that Firecrawl's clients read back. They are stored in a label of the job. */
type GivenMonitor = Pick<NewMonitor, 'targets' | 'webhook' | 'notification' | 'retentionDays'>

/** The stored Firecrawl fields of a monitor. Null if it was created through another API. */
export const givenMonitor = ({ job }: Pick<Schedule, 'job'>): GivenMonitor | null =>
  readLongLabels<GivenMonitor>((job.labels ?? {}) as Record<string, string>, firecrawlMonitorLabel)

const dayMs = 86_400_000
/** Formats that a monitor compares. It ignores all other formats. */
const compared = new Set(['markdown', 'changeTracking', 'json'])

export async function monitorFor(server: Server, caller: Caller, given: NewMonitor): Promise<MonitorBody> {
  refuseJudge(given)
  refuseHidden(given)
  const { name, schedule, targets, webhook, notification, retentionDays } = given
  if (webhook && (webhook.headers || webhook.metadata))
    throw refused('webhook', 'headers and metadata are not supported; webhooks are signed (docs/webhooks.md)')
  const job = await jobFor(server, caller, targets)
  const email = notification?.email
  const kept: GivenMonitor = { targets: withHeaders(targets, hidden), webhook, notification, retentionDays }
  return monitorBody.parse({
    ...{ name, cron: cronOf(schedule), timeZone: schedule.timezone },
    job: {
      ...job,
      labels: longLabels(firecrawlMonitorLabel, kept),
      ...(retentionDays !== undefined && { retention: { job_ms: retentionDays * dayMs } }),
    },
    ...(webhook && { webhookUrl: webhook.url }),
    ...(email?.enabled && { emailTo: email.recipients }),
    ...(webhook?.events?.includes('monitor.check.completed') && { notify: 'always' }),
  })
}

/** Replaces the values of secret headers in the targets. The stored targets must not contain these values: they are in a label,
 *  which is not sealed, and keys that may only read see them. The values are stored in the sealed headers of the job. */
function withHeaders(
  targets: MonitorTarget[],
  replacement: (name: string) => string | undefined,
): MonitorTarget[] {
  return targets.map(target => {
    const { headers } = target.scrapeOptions ?? {}
    if (headers === undefined) return target
    const entries = Object.entries(headers).map(([name, value]) => [
      name,
      mayBeSecret(name) ? (replacement(name) ?? value) : value,
    ])
    return { ...target, scrapeOptions: { ...target.scrapeOptions, headers: Object.fromEntries(entries) } }
  })
}

const hidden = (): string => cutMark

/** A client may send back the targets of a response, whose secret headers are hidden. */
function refuseHidden({ targets }: Pick<NewMonitor, 'targets'>): void {
  for (const [index, { scrapeOptions }] of targets.entries())
    for (const [name, value] of Object.entries(scrapeOptions?.headers ?? {}))
      if (value === cutMark)
        throw refused(
          `targets.${index}.scrapeOptions.headers.${name}`,
          `"${cutMark}" stands for a value that responses hide; send the value again, or leave out targets`,
        )
}

/** The stored Firecrawl fields of a monitor. Their secret headers are restored from the sealed headers of its job. */
export function openedMonitor(
  sealer: Sealer,
  { id, job }: Pick<Schedule, 'id' | 'job'>,
): GivenMonitor | null {
  const given = givenMonitor({ job })
  if (given === null) return null
  const headers = (openHeaders(sealer, id, job).headers ?? {}) as Record<string, string>
  return { ...given, targets: withHeaders(given.targets, name => headers[name]) }
}

function refuseJudge({ goal, judgeEnabled }: Pick<NewMonitor, 'goal' | 'judgeEnabled'>): void {
  if (goal)
    throw refused(
      'goal',
      'changes are found without a model; leave it out, or set the changes to ignore with /monitors',
    )
  if (judgeEnabled) throw refused('judgeEnabled', 'changes are not judged by a model; leave it out')
}

async function jobFor(server: Server, caller: Caller, targets: readonly MonitorTarget[]) {
  const first = targets[0]!
  const isCrawl = targets.some(({ type }) => type === 'crawl')
  if (isCrawl && targets.length > 1)
    throw refused(
      'targets',
      'a monitor crawls one site, or checks a list of URLs; create one monitor for each',
    )
  const given = JSON.stringify(first.scrapeOptions)
  if (targets.some(({ scrapeOptions }) => JSON.stringify(scrapeOptions) !== given))
    throw refused(
      'targets',
      'all targets of a monitor need the same scrapeOptions; create one monitor for each',
    )
  refuseFormats(first)
  const options = await preparedOptions(server, caller, { version: 2, given: first.scrapeOptions ?? {} })
  const context = { ...specContext(server, caller, 'monitor'), labels: {} }
  const spec =
    first.type === 'crawl'
      ? crawlSpec(bodies[2].crawl.parse({ ...first.crawlOptions, url: first.url }), options, context)
      : listSpec(await urlsOf(server, targets), options, context)
  const rules = options.json ? rulesOfSchema(options.json.schema, options.json.prompt) : null
  return { ...bodyOf(spec), ...(rules && { extract: rules }) }
}

function refuseFormats({ scrapeOptions }: MonitorTarget): void {
  for (const format of scrapeOptions?.formats ?? []) {
    const type = typeof format === 'string' ? format : format.type
    if (!compared.has(type))
      throw refused('scrapeOptions.formats', `"${type}" is not compared; use markdown, or json with a schema`)
  }
}

const urlsOf = async (server: Server, targets: readonly MonitorTarget[]): Promise<string[]> => {
  const urls = targets.flatMap(target => (target.type === 'scrape' ? target.urls : []))
  return [...new Set((await sortUrls(urls, false, originRefusals(server))).valid)]
}

/** The job as a body of `POST /jobs`. Error pages are not stored as documents, because for a monitor a 404 means that the page
 *  was removed. */
function bodyOf(spec: GivenSpec): Record<string, unknown> {
  const { jobId, labels, items, maxAgeMs, output, policy, ...rest } = spec
  const { errorPages, ...conduct } = policy
  const urls = items?.map(({ input }) => String(input.url))
  return mapKeys({ ...rest, policy: conduct, ...(urls && { urls }) }, snake) as Record<string, unknown>
}
