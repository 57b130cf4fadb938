// Schedules of a service: recurring jobs, and comparisons of their runs.
import type { Overlap, RunOutcome, ScheduleInput, SchedulePatch } from '../model/schedule.ts'
import { type Connection, pathTo } from './connection.ts'
import type { NewJob } from './job-types.ts'
import { pagesOf } from './pages.ts'

type Given<Body> = Omit<Body, 'job'>

/** `job` has the type of `jobs.create`. */
export type NewScheduleInput = Given<ScheduleInput> & { job: NewJob }
export type ScheduleChangeInput = Given<SchedulePatch> & { job?: NewJob }

export interface ScheduleShown {
  scheduleId: string
  name: string
  /** As a clock in `timeZone` shows it. */
  cron: string
  timeZone: string
  job: Record<string, unknown>
  overlap: Overlap
  jitterS: number
  paused: boolean
  createdAt: string
  nextAt: string | null
  /** The next five. */
  nextRuns: string[]
  links: { self: string; runs: string; compare: string; jobs: string }
}

export interface ScheduleRunShown {
  scheduleId: string
  tick: string
  at: string
  outcome: RunOutcome
  jobId: string | null
  reason: string | null
  catchUp: boolean
}

export type Difference = 'new' | 'changed' | 'unchanged' | 'gone'

export interface ComparedItem {
  difference: Difference
  itemId: string
  url: string
  before: { data: Record<string, unknown> } | null
  after: { data: Record<string, unknown> } | null
  /** Fields that differ, for a changed record. */
  fields?: string[]
  reason?: string | null
}

export interface ComparisonPage {
  scheduleId: string
  from: { jobId: string; createdAt: string }
  to: { jobId: string; createdAt: string }
  counts: Record<Difference, number>
  items: ComparedItem[]
  nextCursor: string | null
}

export interface CompareOptions {
  /** The jobs of two runs; without, the last two that ended. */
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

  /** Changes the given fields. */
  change(scheduleId: string, change: ScheduleChangeInput): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}`, { method: 'PATCH', body: change })
  }

  pause(scheduleId: string): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}/pause`, { method: 'POST' })
  }

  resume(scheduleId: string): Promise<ScheduleShown> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}/resume`, { method: 'POST' })
  }

  /** Runs it now. */
  run(scheduleId: string, { tick }: { tick?: 'latest' } = {}): Promise<ScheduleRunShown> {
    const query = tick ? `?tick=${tick}` : ''
    return this.#connection.json(`${pathTo`/schedules/${scheduleId}/run`}${query}`, { method: 'POST' })
  }

  /** Its runs, newest first. */
  runs(scheduleId: string, { pageSize }: { pageSize?: number } = {}): AsyncGenerator<ScheduleRunShown> {
    return pagesOf(this.#connection, pathTo`/schedules/${scheduleId}/runs`, 'runs', { pageSize })
  }

  compare(scheduleId: string, { difference, ...query }: CompareOptions = {}): Promise<ComparisonPage> {
    return this.#connection.json(pathTo`/schedules/${scheduleId}/compare`, {
      query: { ...query, difference: difference?.join(',') },
    })
  }

  /** Jobs of its runs remain. */
  async delete(scheduleId: string): Promise<void> {
    await this.#connection.send(pathTo`/schedules/${scheduleId}`, { method: 'DELETE' })
  }
}
