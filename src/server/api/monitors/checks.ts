// Checks of a monitor: computed from ended runs on demand, and cached.

import { RecentMap } from '../../../lib/collections/recent-map.ts'
import { readLongLabels } from '../../../lib/text/long-labels.ts'
import { chosenId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { type Check, type MonitorTerms, monitorBody } from '../../../model/monitor.ts'
import { monitorLabel } from '../../../model/own-labels.ts'
import type { Schedule } from '../../../model/schedule.ts'
import { checkRun } from '../../../pipeline/report/monitor-check.ts'
import type { Store } from '../../../ports/store.ts'
import { isoTime } from '../../http/responses.ts'

/** The settings in the labels of a job. A caller can write labels too (`POST /schedules`), so they are validated here again. */
const storedTerms = monitorBody.pick({
  ...{ ignore: true, webhookUrl: true, slackUrl: true, emailTo: true, notify: true },
})

/** The monitor settings of a schedule. Null if the schedule is not a monitor. */
export const termsOf = ({ job }: Pick<Schedule, 'job'>): MonitorTerms | null =>
  readTerms((job.labels ?? {}) as Record<string, unknown>)

export const termsOfJob = ({ spec }: Pick<Job, 'spec'>): MonitorTerms | null => readTerms(spec.labels)

function readTerms(labels: Record<string, unknown>): MonitorTerms | null {
  return storedTerms.safeParse(readLongLabels(labels, monitorLabel)).data ?? null
}

/** Maximum number of earlier runs that are searched for one that can be compared. */
const runsLookedAt = 100

export const endedRuns = (
  store: Store,
  { id, workspace }: Pick<Schedule, 'id' | 'workspace'>,
): Promise<Job[]> =>
  store.jobs.list({
    ...{ scheduleId: id, workspace, limit: runsLookedAt },
    states: ['completed', 'partially_completed', 'failed'],
  })

const mostChanges = 1_000
const remembered = 100

export class Checks {
  readonly #store: Store
  readonly #known = new RecentMap<string, Check>(remembered)

  constructor(store: Store) {
    this.#store = store
  }

  /** `earlier`: the runs before `job`, newest first. */
  async of(job: Job, earlier: readonly Job[], terms: MonitorTerms): Promise<Check> {
    const key = JSON.stringify([job.id, job.finishedAt, earlier[0]?.id, earlier[0]?.finishedAt, terms.ignore])
    const known = this.#known.get(key)
    if (known) return known
    const check = await checkRun(this.#store, job, earlier, { rules: terms.ignore, mostChanges })
    this.#known.set(key, check)
    return check
  }
}

export const isChanged = ({ counts, against }: Check): boolean =>
  against !== null && counts.new + counts.changed + counts.removed > 0

export const shownCheck = (check: Check) => ({
  jobId: chosenId(check.jobId),
  at: isoTime(check.at),
  against: check.against && chosenId(check.against),
  counts: check.counts,
  isChanged: isChanged(check),
})
