// How much does each setting change the speed? Changes one setting at a time: --only concurrency --rounds 1; --write puts the results into docs/tuning.md
import { parseArgs } from 'node:util'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, withRange, written } from './measuring/statistics.ts'
import { type Sweep, sweeps } from './tuning/sweeps.ts'
import { writePage } from './tuning/write-page.ts'

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    rounds: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
})

/** The results of all rounds, by value. Rounds are interleaved, so that a busy minute affects every value. */
async function measure(sweep: Sweep): Promise<Map<string, number[]>> {
  const found = new Map(sweep.values.map(value => [value, [] as number[]]))
  for (let round = 0; round < Number(flags.rounds); round += 1)
    for (const value of sweep.values) {
      const figure = await sweep.measure(value)
      found.get(value)!.push(figure)
      console.error(`${sweep.name} ${value}: ${written(figure, 1)} ${sweep.unit}`)
    }
  return found
}

function tableOf(sweep: Sweep, found: Map<string, number[]>): string {
  const first = median(found.get(sweep.values[0]!)!)
  const rows = [...found].map(([value, figures]) => [
    value,
    withRange(figures, median(figures) < 100 ? 1 : 0),
    `× ${written(median(figures) / first, 1)}`,
  ])
  return markdownTable([sweep.setting, `${sweep.unit} ${sweep.about}`, 'ratio to the first row'], rows)
}

const chosen = sweeps.filter(({ name }) => flags.only.some(part => name.includes(part)))
const loadBefore = loadNow()
const tables = new Map<string, string>()
for (const sweep of chosen) tables.set(sweep.name, tableOf(sweep, await measure(sweep)))
const where = `${today()}, ${machine()}. Rounds: ${flags.rounds}. Load: ${loadBefore} at the start and ${loadNow()} at the end. A load above the number of cores means that other work ran on the machine, so compare only the ratios.`
if (flags.write) writePage(new Map([...tables, ['machine', where]]))
console.log(where)
for (const [name, table] of tables) console.log(`\n${name}\n\n${table}`)
