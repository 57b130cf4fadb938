// Creates the report of a task, successful or failed, that the lane returns to the coordinator.
import { asFailure, Failure } from '../../model/failures.ts'
import { wayWithRow } from '../../model/hidden-row.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page, TakeSlot } from '../../model/page/page.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Artifact, Rendered } from '../../model/policy/rendering.ts'
import type { PageWay } from '../../model/policy/way.ts'
import type { Extracted, NewRecord, RecordData } from '../../model/record.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AskPermit } from '../../ports/permits.ts'
import { artifactFile } from '../../results/artifacts.ts'
import type { WarcExchange } from '../../results/warc-exchanges.ts'
import { judgeNeed } from './browser-need.ts'
import type { OpenJob } from './lane/open-job.ts'
import { hiddenRow, withoutPersonal } from './personal-data.ts'
import type { Reading } from './reading.ts'
import { RecordSizes } from './record-sizes.ts'

export interface TaskParts {
  clock: Clock
  /** Where cached pages are stored, for jobs that use cached responses. */
  blobs?: Blobs
  askPermit: AskPermit
  /** The slot of the task; only for hosts with a rate. */
  slot?: TakeSlot | undefined
  /** If true, another process parses stored pages that were fetched over HTTP. */
  leavesReading?: boolean
  /** Connects the browsers of this lane to their clients. */
  bus?: Bus | undefined
}

/** The report, and the page to store (null if there is none). */
export interface TaskResult {
  report: TaskReport
  page: Page | null
  /** The other exchanges of a scraper run; null if the page alone is enough to replay the run. */
  exchanges?: readonly WarcExchange[] | null
  /** Files of the task, stored before the report is processed. */
  artifacts?: Artifact[]
}

/** The report of a parsed page. `artifacts` are its files. Throws `render.needed` if the page must be loaded in a browser. */
export function succeeded(
  job: OpenJob,
  task: TimedTask,
  page: Page,
  reading: Reading,
  artifacts: readonly Artifact[] = [],
): TaskReport {
  const judged = reading.looked && judgeNeed(job, task, page, reading.looked)
  const way = wayOf(page, judged?.why, artifacts)
  const hidden = hiddenRow(job, task)
  const extracted = withWarning(
    hidden?.warning,
    withoutPersonal(job, withBeside(page, withArchive(page, withSettling(page, reading.extracted)))),
  )
  return {
    jobId: task.jobId,
    n: task.n,
    attempt: task.attempt,
    startedAt: page.startedAt,
    sentAt: page.sentAt,
    ...(page.lastSentAt !== undefined && { lastSentAt: page.lastSentAt }),
    endedAt: page.endedAt,
    failure: null,
    finalUrl: page.finalUrl,
    status: page.status,
    bytes: page.wireBytes,
    raw: null,
    records: recordsOf(job, page, extracted, way, hidden?.row ?? null),
    ...warningsOf(extracted, reading.warning),
    ...(reading.warning && { remark: reading.warning.message }),
    ...(judged?.rendering && { rendering: judged.rendering }),
    links: reading.links,
    sitemaps: reading.sitemaps,
    canonicalKey: reading.canonicalKey,
    contentKey: reading.contentKey,
    specParsed: reading.specParsed,
  }
}

/** Adds a warning if the page was parsed before its content arrived. The warning names the options for a longer wait. */
function withSettling({ rendered }: Page, extracted: Extracted[]): Extracted[] {
  if (rendered?.settled !== 'deadline') return extracted
  const message =
    'the page was still empty or loading when it was parsed; --wait-for SELECTOR waits for its content, --settle 30s waits longer'
  const unsettled: PageWarning = { code: 'content.unsettled', message }
  const others = (record: Extracted) => (record.warnings ?? []).filter(({ code }) => code !== 'content.empty')
  return extracted.map(record => ({ ...record, warnings: [...others(record), unsettled] }))
}

/** Adds a warning if the archive of the page lacks resources. */
function withArchive({ parts }: Page, extracted: Extracted[]): Extracted[] {
  const [first] = parts?.skipped ?? []
  if (!parts || !first) return extracted
  const message = `the archive lacks ${parts.skipped.length} of ${parts.skipped.length + parts.exchanges.length} resources; ${first.url}: ${first.why}`
  return withWarning({ code: 'archive.incomplete', message }, extracted)
}

const withWarning = (warning: PageWarning | undefined, extracted: Extracted[]): Extracted[] =>
  warning
    ? extracted.map(record => ({ ...record, warnings: [...(record.warnings ?? []), warning] }))
    : extracted

/** How the page was fetched, for its records. Null for an HTTP page of a job without a browser. */
function wayOf(page: Page, why: string | undefined, artifacts: readonly Artifact[]): PageWay | null {
  if (!page.rendered) return why === undefined ? null : { way: 'http', why }
  const names = artifacts.map(artifactFile)
  const { why: reason, settled } = page.rendered
  const known = { ...(settled && { settled }), ...(names.length > 0 && { artifacts: names }) }
  return { way: 'browser', why: reason, ...known }
}

/** The records to store. They are serialized here, on the thread of the lane, to keep this work off the coordinator. */
function recordsOf(
  job: OpenJob,
  page: Page,
  extracted: Extracted[],
  way: PageWay | null,
  row: RecordData | null,
): NewRecord[] {
  const size = new RecordSizes(job.job.spec.policy.maxRecordBytes, job.scraperName)
  return extracted.map((record, index) => ({
    index,
    data: size.json(record.data),
    provenance: size.json(record.provenance),
    finalUrl: page.finalUrl,
    status: page.status,
    fetchedAt: page.endedAt,
    scraper: job.scraperName,
    way: wayText(way, record.warnings, row),
  }))
}

function wayText(
  way: PageWay | null,
  warnings: PageWarning[] | undefined,
  row: RecordData | null,
): string | null {
  if (!warnings?.length) return way && JSON.stringify(way)
  return wayWithRow({ ...(way ?? plainly), warnings }, row)
}

const plainly: PageWay = { way: 'http' }

/** The number of records with each warning, for the counts of the job. */
function warningsOf(extracted: Extracted[], ofPage?: PageWarning): Pick<TaskReport, 'warnings'> {
  const warnings: Record<string, number> = ofPage ? { [ofPage.code]: 1 } : {}
  for (const record of extracted)
    for (const code of new Set(record.warnings?.map(warning => warning.code)))
      warnings[code] = (warnings[code] ?? 0) + 1
  return Object.keys(warnings).length > 0 ? { warnings } : {}
}

function withBeside({ rendered }: Page, extracted: Extracted[]): Extracted[] {
  const beside = rendered ? besideOf(rendered) : null
  return beside ? extracted.map(withFields(beside)) : extracted
}

/** The values of the job's `js` expression and of named actions. They become fields of every record of the page. */
function besideOf({ value, values }: Rendered): RecordData | null {
  if (value === undefined && values === undefined) return null
  return { ...values, ...(value !== undefined && { js: value }) }
}

const withFields =
  (fields: RecordData) =>
  ({ data, provenance, ...rest }: Extracted): Extracted => {
    const sources = Object.keys(fields).map(name => [name, { from: 'page', by: 'js' }] as const)
    const sourced = { ...provenance, ...Object.fromEntries(sources) }
    return { data: { ...data, ...fields }, provenance: sourced, ...rest }
  }

/** The report of a page that will be stored and that another process parses. */
export const unread = (task: TimedTask, page: Page): TaskReport => ({
  ...emptyReport(task, page.endedAt),
  ...{ startedAt: page.startedAt, sentAt: page.sentAt, finalUrl: page.finalUrl },
  ...(page.lastSentAt !== undefined && { lastSentAt: page.lastSentAt }),
  ...{ status: page.status, bytes: page.wireBytes, unread: true },
})

/** The failure of a task that is interrupted because the worker stops. The task is requeued, and the attempt is not charged. */
export const stopped = (task: TimedTask): Failure =>
  new Failure('worker.stopping', `${task.url || 'the row'} was requeued because the worker is stopping`)

/** The failure of an interrupted task: its job was cancelled, or the worker stops. */
export const cutShort = (task: TimedTask, { reason }: AbortSignal): Failure =>
  reason instanceof Failure && reason.code === 'job.cancelled' ? reason : stopped(task)

export const failedReport = (task: TimedTask, error: unknown, now: number): TaskReport => ({
  ...emptyReport(task, now),
  failure: asFailure(error).toJSON(),
})

function emptyReport(task: TimedTask, now: number): TaskReport {
  return {
    jobId: task.jobId,
    n: task.n,
    attempt: task.attempt,
    startedAt: now,
    sentAt: now,
    endedAt: now,
    failure: null,
    finalUrl: task.url,
    status: null,
    bytes: 0,
    raw: null,
    records: [],
    links: null,
    sitemaps: [],
    canonicalKey: null,
    contentKey: null,
    specParsed: false,
  }
}

/** A placeholder page for the report of a task that fetched no page. */
export const noPage = (task: TimedTask, startedAt: number, endedAt: number): Page => ({
  url: task.url,
  finalUrl: task.url,
  status: 0,
  headers: [],
  body: Buffer.alloc(0),
  wireBytes: 0,
  hops: [],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt,
  sentAt: startedAt,
  endedAt,
})
