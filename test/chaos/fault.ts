// What a fault is: a row of the matrix, with the ways in which it comes, and what is done to the cluster meanwhile.
import type { Chance } from '../../src/demo-site/random.ts'
import type { Rig, Work } from './rig.ts'

export interface Turn {
  rig: Rig
  /** From the seed that is printed. */
  chance: Chance
  /** Which of the fault's ways it is this time. */
  way: string
}

interface Row {
  /** As the matrix in the reliability contract numbers it. */
  id: string
  /** "a worker is killed": what happens. */
  about: string
  ways: readonly string[]
}

/** Done to two jobs that are under way; the invariants are checked when they have ended. */
export interface Strike extends Row {
  /** Requests for one page that it excuses; 2 when it is not said. */
  mostRequests?: number
  strike(turn: Turn & { work: Work }): Promise<void>
}

/** A round of its own kind; it gives back what is wrong after it. */
export interface Trial extends Row {
  trial(turn: Turn): Promise<string[]>
}

export type Fault = Strike | Trial

/** What a strike expects at once, beside the invariants. */
export function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`expected: ${claim}`)
}
