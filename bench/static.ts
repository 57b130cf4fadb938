// How fast is a crawl of a static site, compared with other crawlers? --pages 20000 --small 5000 --rounds 3 --only NAME --limit 300
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadNow, machine, today } from './measuring/machine.ts'
import { written } from './measuring/statistics.ts'
import { type Contender, contenders, missingParts } from './static/contenders.ts'
import { Nginx } from './static/nginx.ts'
import { type Row, resultsTable, targetsTable } from './static/report.ts'
import { run, runWrk } from './static/run.ts'
import { writeSite } from './static/site.ts'

const workDirectory = join(import.meta.dirname, '.work')
const { values: flags } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    small: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true, default: [''] },
    limit: { type: 'string', default: '300' },
  },
})

const missing = missingParts()
if (missing.length > 0) {
  console.error(missing.join('\n'))
  process.exit(1)
}
// Exits on a signal, because only exit handlers end the started processes.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
await compare()

async function compare(): Promise<void> {
  mkdirSync(workDirectory, { recursive: true })
  const sizes = { whole: Number(flags.pages), small: Number(flags.small) }
  const roots = [sizes.whole, sizes.small].map(pages => ({ root: writeSite(workDirectory, pages), pages }))
  await using nginx = await Nginx.start(workDirectory, roots)
  const chosen = contenders.filter(({ name }) => flags.only.some(part => name.includes(part)))
  const rows: Row[] = chosen.map(({ name, site }) => ({ name, pages: sizes[site], measures: [] }))
  for (let round = 0; round < Number(flags.rounds); round++) await runRound(nginx, chosen, rows, round)
  const wrk = runWrk(nginx.sites[0]!)
  report(rows, wrk)
}

/** Each round starts with another contender, so that none always runs after the same one. */
async function runRound(nginx: Nginx, chosen: Contender[], rows: Row[], round: number): Promise<void> {
  const limitSeconds = Number(flags.limit)
  for (let turn = 0; turn < chosen.length; turn++) {
    const at = (turn + round) % chosen.length
    const contender = chosen[at]!
    const site = nginx.sites[contender.site === 'whole' ? 0 : 1]!
    const measure = await run(contender, { nginx, site, workDirectory, limitSeconds })
    rows[at]!.measures[round] = measure
    const speed = `${written(measure.pagesPerSecond)} pages/s`
    console.error(
      `${round + 1}  ${contender.name.padEnd(50)} ${speed.padStart(15)}  ${measure.problem ?? ''}`,
    )
  }
}

function report(rows: Row[], wrk: number): void {
  const text = [
    `${today()}, ${machine()}, load ${loadNow()} at the end; ${flags.rounds} rounds.`,
    resultsTable(rows),
    `wrk, one page over and over (limit of the server): ${written(wrk)} pages/s`,
    targetsTable(rows),
  ].join('\n\n')
  console.log(text)
  writeFileSync(join(workDirectory, 'static.json'), JSON.stringify({ rows, wrk }, null, 2))
}
