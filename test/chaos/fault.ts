// A fault: a row of the fault matrix with its variants, and what it does to the cluster.
import type { Chance } from '../../src/demo-site/random.ts'
import type { Rig, Work } from './rig.ts'

export interface Turn {
  rig: Rig
  /** Random numbers from the seed that the round prints. */
  chance: Chance
  /** Which variant of the fault this round uses. */
  way: string
}

interface Row {
  /** The number of the fault in the fault matrix. */
  id: string
  /** A sentence that says what happens, like "a worker is killed". Titles of tests contain it. */
  about: string
  ways: readonly string[]
}

/** Runs while two jobs are in progress. The invariants are checked after the jobs ended. */
export interface Strike extends Row {
  /** Allowed requests per page; the default is 2. */
  mostRequests?: number
  strike(turn: Turn & { work: Work }): Promise<void>
}

/** A round of a different kind; returns its violations. */
export interface Trial extends Row {
  trial(turn: Turn): Promise<string[]>
}

export type Fault = Strike | Trial

/** Fails the strike if `holds` is false. The invariants are checked later. */
export function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`expected: ${claim}`)
}
