// Defines a fault: its number in the fault matrix (docs/testing.md), its variants, and its effect on the cluster.
import type { Chance } from '../../src/demo-site/random.ts'
import type { Rig, Work } from './rig.ts'

export interface Turn {
  rig: Rig
  /** Random numbers, derived from the seed that the round prints. */
  chance: Chance
  /** The variant of the fault that this round uses. */
  way: string
}

interface Row {
  /** The number of the fault in the fault matrix. */
  id: string
  /** A sentence that says what happens, like "a worker is killed". Titles of tests contain it. */
  about: string
  ways: readonly string[]
}

/** A fault that strikes while two jobs are in progress. The invariants are checked after the jobs have ended. */
export interface Strike extends Row {
  /** Allowed requests per page; the default is 2. */
  mostRequests?: number
  strike(turn: Turn & { work: Work }): Promise<void>
}

/** A fault that needs a round of its own. `trial` runs the round and returns its violations. */
export interface Trial extends Row {
  trial(turn: Turn): Promise<string[]>
}

export type Fault = Strike | Trial

/** Ends the round with a failure if `holds` is false. */
export function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`expected: ${claim}`)
}
