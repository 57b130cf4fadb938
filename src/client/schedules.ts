// Schedules of a service: recurring jobs, and comparisons of their runs.
import type { ComparedItem, ComparisonPage, ScheduleRunShown, ScheduleShown } from '../model/api/schedules.ts'
import type { Difference, ScheduleInput, SchedulePatch } from '../model/schedule.ts'
import { type Connection, pathTo } from './connection.ts'
import type { NewJob } from './job-types.ts'
import { pagesOf } from './pages.ts'

export type { ComparedItem, ComparisonPage, Difference, ScheduleRunShown, ScheduleShown }

type Given<Body> = Omit<Body, 'job'>

/** The fields of a new schedule. `job` has the type of `jobs.create`. */
export type NewScheduleInput = Given<ScheduleInput> & { job: NewJob }
export type ScheduleChangeInput = Given<SchedulePatch> & { job?: NewJob }

export interface CompareOptions {
  /** Job ids of the two runs to compare. Default: the last two ended runs. */
  from?: string
  to?: string
  difference?: readonly Difference[]
  limit?: number
  cursor?: string
}

export class Schedules {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  create(schedule: NewScheduleInput): Promise<ScheduleShown> {
    return this.#connection.json('/schedules', { body: schedule })
  }

  list(): AsyncGenerator<ScheduleShown> {
    return pagesOf(this.#connection, '/schedules', 'schedules')
  }

  get(scheduleId: string): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}`)
  }

  /** Changes only the given fields. */
  change(scheduleId: string, change: ScheduleChangeInput): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}`, { method: 'PATCH', body: change })
  }

  pause(scheduleId: string): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}/pause`, { method: 'POST' })
  }

  resume(scheduleId: string): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}/resume`, { method: 'POST' })
  }

  /** Runs the schedule now. */
  run(scheduleId: string, { tick }: { tick?: 'latest' } = {}): Promise<ScheduleRunShown> {
    const query = tick ? `?tick=${tick}` : ''
    return this.#connection.json(`${pathTo`/schedules/${scheduleId}/run`}${query}`, { method: 'POST' })
  }

  /** The runs of a schedule, newest first. */
  runs(scheduleId: string, { pageSize }: { pageSize?: number } = {}): AsyncGenerator<ScheduleRunShown> {
    return pagesOf(this.#connection, pathTo`/schedules/${scheduleId}/runs`, 'runs', { pageSize })
  }

  compare(scheduleId: string, { difference, ...query }: CompareOptions = {}): Promise<ComparisonPage> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}/compare`, {
      query: { ...query, difference: difference?.join(',') },
    })
  }

  /** Deletes a schedule. The jobs of its runs remain. */
  async delete(scheduleId: string): Promise<void> {
    await this.#connection.send(pathTo`/schedules/${scheduleId}`, { method: 'DELETE' })
  }
}
