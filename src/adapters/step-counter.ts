// Counts attempts by the time they ended. The counts are collected during a transaction and written once at its end.
import type { Attempt } from '../model/task.ts'

/** The shortest step of a timeline. */
const secondMs = 1_000
const hourMs = 3_600_000

const succeeded: ReadonlySet<string> = new Set(['ok', 'cached', 'not-modified'])
/** The outcomes of `succeeded` as an SQL list. The migration uses it to count the attempts that were stored before these
 *  counters existed. */
export const succeededList = [...succeeded].map(reason => `'${reason}'`).join(', ')

type StepRow = { job_no: number; at: number; outcome: string; attempts: number }
type HourRow = StepRow & { host: string; pages: number; records: number }

/** The pages and records of a settled attempt. */
export interface Brought {
  pages: number
  records: number
}

/** The result of an attempt that was lost with its worker. */
export const nothing: Brought = { pages: 0, records: 0 }

export class StepCounter {
  readonly #steps = new Map<string, StepRow>()
  readonly #hours = new Map<string, HourRow>()

  add(jobNo: number, host: string, { endedAt, outcome }: Attempt, brought: Brought): void {
    const second = Math.floor(endedAt / secondMs) * secondMs
    const step = rowOf(this.#steps, `${jobNo} ${second} ${outcome}`, () => ({
      ...{ job_no: jobNo, at: second, outcome, attempts: 0 },
    }))
    step.attempts += 1
    const at = Math.floor(endedAt / hourMs) * hourMs
    const place = succeeded.has(outcome) ? '' : host
    const hour = rowOf(this.#hours, `${jobNo} ${at} ${outcome} ${place}`, () => ({
      ...{ job_no: jobNo, at, host: place, outcome, attempts: 0, pages: 0, records: 0 },
    }))
    hour.attempts += 1
    hour.pages += brought.pages
    hour.records += brought.records
  }

  steps(): StepRow[] {
    return [...this.#steps.values()]
  }

  hours(): HourRow[] {
    return [...this.#hours.values()]
  }
}

function rowOf<Row>(rows: Map<string, Row>, key: string, make: () => Row): Row {
  const known = rows.get(key)
  if (known) return known
  const made = make()
  rows.set(key, made)
  return made
}
