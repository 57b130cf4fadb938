// Monitors of a service: watched pages, and the results of their checks.
import type { MonitorCheck, MonitorCheckInFull, MonitorShown, StartedCheck } from '../model/api/monitors.ts'
import type { MonitorInput, PageStatus } from '../model/monitor.ts'
import { type Connection, pathTo } from './connection.ts'
import type { NewJob } from './job-types.ts'
import { pagesOf } from './pages.ts'

export type { MonitorCheck, MonitorCheckInFull, MonitorShown, StartedCheck }

/** The fields of a new monitor. `job` has the type of `jobs.create`. */
export type NewMonitorInput = Omit<MonitorInput, 'job'> & { job: NewJob }

export class Monitors {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Creates a monitor. Its job is validated now, like a submitted job. */
  create(monitor: NewMonitorInput): Promise<MonitorShown> {
    return this.#connection.json('/monitors', { body: monitor })
  }

  list(): AsyncGenerator<MonitorShown> {
    return pagesOf(this.#connection, '/monitors', 'monitors')
  }

  get(monitorId: string): Promise<MonitorShown> {
    return this.#connection.json(pathTo`/monitors/${monitorId}`)
  }

  /** Runs a check now. Fails while the previous check runs. */
  run(monitorId: string): Promise<StartedCheck> {
    return this.#connection.json(pathTo`/monitors/${monitorId}/run`, { method: 'POST' })
  }

  /** The checks of a monitor with counts, newest first. */
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

  /** Deletes a monitor. The jobs of its checks remain. */
  async delete(monitorId: string): Promise<void> {
    await this.#connection.send(pathTo`/monitors/${monitorId}`, { method: 'DELETE' })
  }
}
