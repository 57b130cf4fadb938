// The result of a monitor run: each page compared with its last successful fetch.

import { textKey, urlKey } from '../../frontier/canonical-url.ts'
import { failedPages, recordPages } from '../../lib/list-pages.ts'
import { quietRecord } from '../../lib/text/noise.ts'
import { unifiedDiff } from '../../lib/text/text-diff.ts'
import type { Job } from '../../model/job.ts'
import type { Check, FieldChange, IgnoreRules, PageChange } from '../../model/monitor.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import type { Reason, Task } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'
import { type Compared, comparedAfter, compareRuns } from './compare-runs.ts'

/** Failures that mean that the page is gone. After other failures, the page may still exist. */
const saysGone: ReadonlySet<string> = new Set<Reason>(['http.not-found', 'page.soft-not-found'])
/** Longer diffs are cut; the records have the full text. */
const longestDiff = 20_000
const lookedBack = 10

interface CheckOptions {
  rules: IgnoreRules
  /** How many changes are reported. All are counted. */
  mostChanges: number
}

/** Checks a run. `earlier` are the earlier runs that have ended, latest first. */
export async function checkRun(
  store: Store,
  job: Job,
  earlier: readonly Job[],
  { rules, mostChanges }: CheckOptions,
): Promise<Check> {
  const [before] = earlier
  const checkReport = new CheckReport(job, before ?? null, mostChanges)
  if (!before) await reportFirst(store, job, checkReport)
  else await new Comparing(store, job, earlier, rules, checkReport).run(before)
  return checkReport.check
}

/** The first check: all pages are new, and none counts as a change. */
async function reportFirst({ records, jobs }: Store, job: Job, checkReport: CheckReport): Promise<void> {
  const counts = await jobs.counts(job.id)
  checkReport.check.counts.error = counts.byState.failed
  for await (const found of recordPages(records, job.id, { limit: 500 }))
    for (const record of found) checkReport.add(changeOf('new', record.url, dataOf(record)))
}

class CheckReport {
  readonly check: Check
  readonly #most: number

  constructor(job: Job, before: Job | null, most: number) {
    this.#most = most
    this.check = {
      ...{ jobId: job.id, at: job.finishedAt ?? job.createdAt, against: before?.id ?? null },
      counts: { new: 0, same: 0, changed: 0, removed: 0, error: 0 },
      ...{ changes: [], isCut: false },
    }
  }

  add(change: PageChange): void {
    const { counts, changes } = this.check
    counts[change.status] += 1
    if (changes.length < this.#most) changes.push(change)
    else this.check.isCut = true
  }
}

class Comparing {
  readonly #store: Store
  readonly #job: Job
  readonly #earlier: readonly Job[]
  readonly #rules: IgnoreRules
  readonly #checkReport: CheckReport

  constructor(store: Store, job: Job, earlier: readonly Job[], rules: IgnoreRules, checkReport: CheckReport) {
    this.#store = store
    this.#job = job
    this.#earlier = earlier
    this.#rules = rules
    this.#checkReport = checkReport
  }

  async run(before: Job): Promise<void> {
    const comparison = await compareRuns(this.#store, before, this.#job, record => this.#textOf(record))
    this.#checkReport.check.counts.same = comparison.counts.unchanged
    const wants = new Set(['new', 'changed', 'gone'] as const)
    for (let place: Parameters<typeof comparedAfter>[2] | null = { run: 'to', index: 0 }; place; ) {
      const page = await comparedAfter(this.#store, comparison, place, { limit: 100, wants })
      for (const found of page.found) await this.#tell(found)
      place = page.place
    }
    await this.#reportGone(before)
  }

  #textOf = (record: StoredRecord): string => this.#counts(dataOf(record))
  #counts = (data: RecordData): string => JSON.stringify(quietRecord(data, this.#rules))

  async #tell({ difference, url, before, after, reason = null }: Compared): Promise<void> {
    if (difference === 'gone')
      return this.#checkReport.add({
        ...changeOf(isGone(reason) ? 'removed' : 'error', url, before!),
        reason,
      })
    const known = difference === 'new' ? await this.#lastKnown(url) : before
    if (known === null) return this.#checkReport.add(changeOf('new', url, after!))
    if (this.#counts(known) === this.#counts(after!)) this.#checkReport.check.counts.same += 1
    else this.#checkReport.add(this.#changed(url, known, after!))
  }

  #changed(url: string, before: RecordData, after: RecordData): PageChange {
    const [old, now] = [quietRecord(before, this.#rules), quietRecord(after, this.#rules)]
    const diff = unifiedDiff(textOf(old), textOf(now)).slice(0, longestDiff)
    return { ...changeOf('changed', url, after), diff, fields: fieldChanges(old, now) }
  }

  /** The last record of a page that failed in the previous run. Null if the page was already gone then. */
  async #lastKnown(url: string): Promise<RecordData | null> {
    for (const job of this.#earlier.slice(0, lookedBack)) {
      const task = await this.#store.tasks.find(job.id, keyOf(url))
      if (!task || isGone(task.reason)) return null
      const [record] = task.state === 'succeeded' ? await this.#store.records.ofTask(job.id, task.n) : []
      if (record) return dataOf(record)
    }
    return null
  }

  /** Reports pages that failed in this run: as removed if the page is gone, else as an error. */
  async #reportGone(before: Job): Promise<void> {
    for await (const failed of failedPages(this.#store.tasks, this.#job.id))
      for (const task of failed) await this.#reportFailed(before, task)
  }

  async #reportFailed(before: Job, { url, reason, message }: Task): Promise<void> {
    const task = await this.#store.tasks.find(before.id, keyOf(url))
    // Skip a page that succeeded in the previous run, because it is already reported. Also skip a page that was gone in
    // both runs, because nothing changed.
    if (task?.state === 'succeeded' || (task && isGone(task.reason) && isGone(reason))) return
    const known = task ? await this.#lastKnown(url) : null
    if (known && isGone(reason)) this.#checkReport.add({ ...changeOf('removed', url, known), reason })
    else if (!isGone(reason))
      this.#checkReport.add({ ...changeOf('error', url, known ?? {}), reason: message ?? reason })
  }
}

/** Whether the reason of a task means that the page is gone. Null means that no page links to it any more. */
const isGone = (reason: string | null): boolean => reason === null || saysGone.has(reason)

const keyOf = (url: string): bigint => (url.includes('://') ? urlKey(url) : textKey(url))

const changeOf = (status: PageChange['status'], url: string, data: RecordData): PageChange => ({
  ...{ url, status, diff: null, fields: [], reason: null },
  title: typeof data.title === 'string' ? data.title : null,
})

const dataOf = ({ data }: StoredRecord): RecordData => JSON.parse(data) as RecordData

/** The text of a page; for other records, one line per field. */
const textOf = (data: RecordData): string =>
  typeof data.markdown === 'string'
    ? `${data.title ?? ''}\n${data.markdown}`
    : Object.entries(data)
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('\n')

const fieldChanges = (before: RecordData, after: RecordData): FieldChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map(field => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
