// Rounds of faults: all processes run, jobs are in progress, a fault strikes, and afterwards every invariant must hold.
import { type Chance, seeded } from '../../src/demo-site/random.ts'
import { expect, type Fault } from './fault.ts'
import { whatIsWrong } from './invariants.ts'
import type { Rig } from './rig.ts'

/** Each round has its own seed, so that it can be repeated alone. */
export async function runRound(rig: Rig, fault: Fault, way: string, seed: number): Promise<void> {
  const chance = seeded(seed)
  try {
    await rig.restore()
    const wrong = await roundOf(rig, fault, way, chance)
    if (wrong.length > 0) throw new Error(wrong.slice(0, 20).join('\n'))
  } catch (error) {
    const head = `${fault.id} (${fault.about}: ${way}), seed ${seed}`
    throw new Error(`${head}\n${(error as Error).message}\n${rig.said()}`, { cause: error })
  }
}

async function roundOf(rig: Rig, fault: Fault, way: string, chance: Chance): Promise<string[]> {
  if ('trial' in fault) return fault.trial({ rig, chance, way })
  const work = await rig.beginAndHold(chance.between(20, rig.pages / 3))
  expect((await rig.leased()) > 0, 'tasks in flight when the fault strikes')
  try {
    await fault.strike({ rig, chance, way, work })
  } finally {
    work.release()
  }
  await rig.restore()
  return whatIsWrong(rig, work, { mostRequests: fault.mostRequests ?? 2 })
}
