// npm run chaos [-- --minutes 5 --seed 7 --faults F1,F8]: faults at random for as long as asked, everything checked after each.
import { parseArgs } from 'node:util'
import { seeded } from '../../src/demo-site/random.ts'
import { faults } from './faults.ts'
import { Rig } from './rig.ts'
import { runRound, wayOf } from './rounds.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    way: { type: 'string' },
  },
})
const seed = Number(flags.seed ?? Date.now() % 1_000_000)
const wanted = flags.faults?.split(',')
const chosen = wanted ? faults.filter(({ id }) => wanted.includes(id)) : faults
const until = Date.now() + Number(flags.minutes) * 60_000
const draw = seeded(seed)
const tally = new Map<string, { rounds: number; broken: number; ms: number }>()
const reports: string[] = []

console.log(`seed ${seed}, ${chosen.map(({ id }) => id).join(' ')}, ${flags.minutes} minutes`)
await using rig = await Rig.open()
for (let round = 0; Date.now() < until; round += 1) {
  const fault = chosen[round % chosen.length]!
  const way = flags.way ?? wayOf(fault, Math.floor(round / chosen.length))
  const own = draw.between(1, 1_000_000)
  const startedAt = performance.now()
  const problem = await runRound(rig, fault, way, own).catch((error: Error) => error.message)
  const ms = performance.now() - startedAt
  const known = tally.get(fault.id) ?? { rounds: 0, broken: 0, ms: 0 }
  tally.set(fault.id, {
    rounds: known.rounds + 1,
    broken: known.broken + (problem ? 1 : 0),
    ms: known.ms + ms,
  })
  if (problem) reports.push(problem)
  console.log(
    `${problem ? 'BROKEN' : 'ok    '} ${fault.id.padEnd(4)} ${way.padEnd(14)} ${(ms / 1_000).toFixed(1).padStart(5)} s  seed ${own}`,
  )
  if (problem) console.log(problem)
}
