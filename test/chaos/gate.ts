// Runs chaos rounds as tests: one cluster per file, one test per round. A failure names its seed.
import { after, before, test } from 'node:test'
import { testSeed } from '../support/seed.ts'
import { faults } from './faults.ts'
import { Rig, type Size } from './rig.ts'
import { runRound } from './rounds.ts'

export interface Round {
  id: string
  way: string
}

/** Runs one round for each variant of these faults, and at least `least` rounds for each fault. */
export const roundsOf = (ids: readonly string[], least: number): Round[] =>
  ids.flatMap(id => {
    const { ways } = faults.find(fault => fault.id === id)!
    const times = Math.max(least, ways.length)
    return Array.from({ length: times }, (_, round) => ({ id, way: ways[round % ways.length]! }))
  })

export function gate(rounds: readonly Round[], size: Size = 'whole'): void {
  let rig: Rig
  before(async () => {
    rig = await Rig.open(size)
  })
  after(() => rig?.[Symbol.asyncDispose]())
  for (const [index, { id, way }] of rounds.entries()) {
    const fault = faults.find(one => one.id === id)!
    const seed = testSeed + index
    test(`${id}, ${fault.about} (${way}): no work is lost or duplicated, and nothing is left over`, async t => {
      t.diagnostic(`seed ${seed}`)
      await runRound(rig, fault, way, seed)
    })
  }
}
