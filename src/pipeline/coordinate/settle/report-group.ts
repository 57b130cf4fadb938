// The reports that wait for the next group commit, and when that commit is due.
import type { TaskReport } from '../../../model/lane.ts'
import type { InFlightTasks } from '../in-flight.ts'

/** A group commit is due after this time or at this many reports. Larger groups are cheaper, because each commit costs one disk
 *  sync. */
const gatherMs = 50
const gatherCount = 384
/** The commit is due after this time if it holds up a job. */
const shortGatherMs = 5
/** If at most this many reports arrived in the current and the previous window of `gatherMs`, reports are committed at
 *  once. Waiting would only delay the next tasks. */
const fewReports = 6

export class ReportGroup {
  #reports: TaskReport[] = []
  #committedAt = 0
  /** Number of reports in the current window of `gatherMs`, and in the previous window. */
  #flow = { since: 0, now: 0, before: 0 }

  get size(): number {
    return this.#reports.length
  }

  /** Adds reports of lanes. */
  add(reports: readonly TaskReport[], now: number): void {
    this.#reports.push(...reports)
    const { since } = this.#flow
    if (now - since >= gatherMs)
      this.#flow = { since: now, now: 0, before: now - since < 2 * gatherMs ? this.#flow.now : 0 }
    this.#flow.now += reports.length
  }

  /** Adds refused tasks. They do not show how fast the lanes report. */
  addRefused(reports: readonly TaskReport[]): void {
    this.#reports.push(...reports)
  }

  /** Takes all reports out for a commit. */
  take(now: number): TaskReport[] {
    this.#committedAt = now
    return this.#reports.splice(0)
  }

  /** Puts the reports of a failed commit back, for the next one. */
  putBack(reports: readonly TaskReport[]): void {
    this.#reports.unshift(...reports)
  }

  /** Time since the last commit. */
  ageMs(now: number): number {
    return now - this.#committedAt
  }

  /** When the reports are due: at once if they are many, if reports are rare, or if every task in flight has reported.
   *  Infinity if there is no report. */
  dueAt(inFlight: Pick<InFlightTasks, 'size' | 'countOf'>): number {
    if (this.size === 0) return Number.POSITIVE_INFINITY
    const isSlow = this.#flow.now + this.#flow.before <= fewReports
    if (isSlow || this.size >= Math.min(gatherCount, inFlight.size)) return 0
    return this.#committedAt + (this.#holdsUpJob(inFlight) ? shortGatherMs : gatherMs)
  }

  /** Whether all tasks in flight of some job have reported. This job waits for the commit, even if tasks of other jobs still
   *  run. */
  #holdsUpJob(inFlight: Pick<InFlightTasks, 'countOf'>): boolean {
    const counts = new Map<string, number>()
    for (const { jobId } of this.#reports) counts.set(jobId, (counts.get(jobId) ?? 0) + 1)
    return counts.entries().some(([jobId, count]) => count >= inFlight.countOf(jobId))
  }
}
