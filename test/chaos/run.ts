// npm run chaos [-- --minutes 5 --seed 7 --faults F1,F8]: repeats faults for the given time and checks every invariant after each.
import { parseArgs } from 'node:util'
import { seeded } from '../../src/demo-site/random.ts'
import type { Fault } from './fault.ts'
import { faults } from './faults.ts'
import { Rig } from './rig.ts'
import { runRound } from './rounds.ts'

interface FaultResult {
  rounds: number
  broken: number
  ms: number
}

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    way: { type: 'string' },
  },
})

function chosenFaults(): Fault[] {
  const wanted = flags.faults?.split(',') ?? faults.map(({ id }) => id)
  const unknown = wanted.find(id => !faults.some(fault => fault.id === id))
  if (unknown === undefined) return faults.filter(({ id }) => wanted.includes(id))
  console.error(`There is no fault ${unknown}: ${faults.map(({ id }) => id).join(', ')}`)
  process.exit(2)
}

const minutes = Number(flags.minutes)
const seed = Number(flags.seed ?? Date.now() % 1_000_000)
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('Usage: npm run chaos [-- --minutes N --seed S --faults F1,F8 --way WAY]')
  process.exit(2)
}
const chosen = chosenFaults()
const until = Date.now() + minutes * 60_000
const chance = seeded(seed)
const results = new Map<string, FaultResult>()
const reports: string[] = []

console.log(`seed ${seed}, ${minutes} minutes of ${chosen.map(({ id }) => id).join(' ')}`)
await using rig = await Rig.open()
for (let round = 0; Date.now() < until; round += 1) {
  const fault = chosen[round % chosen.length]!
  const turn = Math.floor(round / chosen.length)
  await oneRound(fault, flags.way ?? fault.ways[turn % fault.ways.length]!)
}
report()
process.exitCode = reports.length > 0 ? 1 : 0

async function oneRound(fault: Fault, way: string): Promise<void> {
  const own = chance.between(1, 1_000_000)
  const startedAt = performance.now()
  const problem = await runRound(rig, fault, way, own).then(
    () => null,
    (error: Error) => error.message,
  )
  const ms = performance.now() - startedAt
  const { rounds, broken, ms: before } = results.get(fault.id) ?? { rounds: 0, broken: 0, ms: 0 }
  results.set(fault.id, { rounds: rounds + 1, broken: broken + (problem ? 1 : 0), ms: before + ms })
  const seconds = (ms / 1_000).toFixed(1).padStart(6)
  const leftMinutes = Math.max(0, (until - Date.now()) / 60_000).toFixed(1)
  console.log(
    `${problem ? 'BROKEN' : 'ok    '} ${fault.id.padEnd(3)} ${seconds} s  ${fault.about} (${way}), seed ${own}; ${leftMinutes} minutes left`,
  )
  if (problem === null) return
  reports.push(problem)
  console.log(problem)
}

function report(): void {
  const all = [...results.values()].reduce((sum, { rounds }) => sum + rounds, 0)
  console.log(
    `\n| fault | rounds | broken | seconds a round |\n| ----- | ------ | ------ | --------------- |`,
  )
  for (const { id, about } of chosen) {
    const { rounds, broken, ms } = results.get(id) ?? { rounds: 0, broken: 0, ms: 0 }
    if (rounds > 0)
      console.log(`| ${id} ${about} | ${rounds} | ${broken} | ${(ms / rounds / 1_000).toFixed(1)} |`)
  }
  const slowest = Math.max(0, ...rig.takeOversMs) / 1_000
  console.log(`\n${all} rounds, ${reports.length} broken, seed ${seed}.`)
  if (rig.takeOversMs.length > 0)
    console.log(`A standby led ${rig.takeOversMs.length} times, after ${slowest.toFixed(1)} s at most.`)
  for (const problem of reports) console.log(`\n${problem.split('\n--- ')[0]}`)
}
