// Monitors of a service: watched pages, and the results of checks.
import type { IgnoreRules, MonitorInput, PageChange, PageStatus } from '../model/monitor.ts'
import type { RunOutcome } from '../model/schedule.ts'
import { type Connection, pathTo } from './connection.ts'
import type { NewJob } from './job-types.ts'
import { pagesOf } from './pages.ts'

/** `job` has the type of `jobs.create`. */
export type NewMonitorInput = Omit<MonitorInput, 'job'> & { job: NewJob }

export interface MonitorShown {
  monitorId: string
  name: string
  /** As a clock in `timeZone` shows it. */
  cron: string
  timeZone: string
  paused: boolean
  createdAt: string
  nextAt: string | null
  job: Record<string, unknown>
  ignore: IgnoreRules
  webhookUrl: string | null
  slackUrl: string | null
  emailTo: string[]
  notify: 'changes' | 'always'
  /** `atom` and `rss` need no key: everyone who has the URL can read the feed. */
  links: { self: string; checks: string; atom: string; rss: string; schedule: string }
}

export interface MonitorCheck {
  jobId: string
  at: string
  /** The job that it was compared with; null for the first check. */
  against: string | null
  counts: Record<PageStatus, number>
  isChanged: boolean
}

/** With all changed pages; unchanged ones are only counted. */
export interface MonitorCheckInFull extends MonitorCheck {
  pages: PageChange[]
  /** True if there are more changes than listed. */
  isCut: boolean
}

export interface StartedCheck {
  monitorId: string
  jobId: string | null
  outcome: RunOutcome
  reason: string | null
}

export class Monitors {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Its job is checked now, as if it were submitted. */
  create(monitor: NewMonitorInput): Promise<MonitorShown> {
    return this.#connection.json('/monitors', { body: monitor })
  }

  list(): AsyncGenerator<MonitorShown> {
    return pagesOf(this.#connection, '/monitors', 'monitors')
  }

  get(monitorId: string): Promise<MonitorShown> {
    return this.#connection.json(pathTo`/monitors/${monitorId}`)
  }

  /** Runs a check now; refused while the previous check runs. */
  run(monitorId: string): Promise<StartedCheck> {
    return this.#connection.json(pathTo`/monitors/${monitorId}/run`, { method: 'POST' })
  }

  /** Its checks with counts, newest first. */
  checks(monitorId: string, { pageSize }: { pageSize?: number } = {}): AsyncGenerator<MonitorCheck> {
    return pagesOf(this.#connection, pathTo`/monitors/${monitorId}/checks`, 'checks', { pageSize })
  }

  check(
    monitorId: string,
    jobId: string,
    { status }: { status?: PageStatus } = {},
  ): Promise<MonitorCheckInFull> {
    return this.#connection.json(pathTo`/monitors/${monitorId}/checks/${jobId}`, { query: { status } })
  }

  /** Jobs of its checks remain. */
  async delete(monitorId: string): Promise<void> {
    await this.#connection.send(pathTo`/monitors/${monitorId}`, { method: 'DELETE' })
  }
}
