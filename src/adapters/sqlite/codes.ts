// The small numbers that stand for states and kinds in the tables.

import { type TaskWay, taskWays } from '../../model/policy/way.ts'
import { type TaskKind, type TaskState, taskStates } from '../../model/task.ts'

/** Codes start at 2. SQLite stores 0 and 1 without a byte, and a row must not grow when its state changes. */
const firstStateCode = 2

export const stateCodes = Object.fromEntries(
  taskStates.map((state, index) => [state, index + firstStateCode]),
) as Readonly<Record<TaskState, number>>

export const stateOf = (code: number): TaskState => taskStates[code - firstStateCode]!

const taskKinds: readonly TaskKind[] = ['page', 'sitemap']

export const kindCodes: Readonly<Record<TaskKind, number>> = { page: 0, sitemap: 1 }

export const kindOf = (code: number): TaskKind => taskKinds[code]!

export const wayCodes: Readonly<Record<TaskWay, number>> = { http: 0, browser: 1 }

export const wayOf = (code: number): TaskWay => taskWays[code]!

/** Kinds of identities in `seen`. */
export const spaces = { name: 0, canonical: 1, content: 2 } as const
export type Space = (typeof spaces)[keyof typeof spaces]

/** Codes for `IN (…)`. They are constants, so they need no parameters. */
export const codeList = (states: readonly TaskState[]): string =>
  states.map(state => stateCodes[state]).join(', ')
