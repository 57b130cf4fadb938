// How short are the times between two requests to a host, measured at the host? --hosts 50 --requests 10000 --cluster
import { parseArgs } from 'node:util'
import { type Pace, pacesOf, startArrivals } from '../test/support/arrivals.ts'
import { gapMs, runOverWorkers, runRestarted } from '../test/support/polite-runs.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    hosts: { type: 'string', default: '50' },
    requests: { type: 'string', default: '10000' },
    cluster: { type: 'boolean', default: false },
  },
})
const hosts = Number(flags.hosts)
/** Every ninth request is a retry of a failure; two jobs share the rest. */
const each = Math.ceil((Number(flags.requests) * 8) / 9 / hosts / 2)

const runs: Array<[name: string, run: typeof runRestarted]> = [
  ['one process, two jobs, retries, a restart', runRestarted],
]
if (flags.cluster) runs.push(['three workers, two jobs, retries, one worker killed', runOverWorkers])

const rows: string[][] = []
for (const [name, run] of runs) {
  await using site = await startArrivals({ hosts, failEvery: 9 })
  await run(site, each)
  rows.push(rowOf(name, pacesOf(await site.read(), gapMs)))
}

function rowOf(name: string, paces: Pace[]): string[] {
  return [
    name,
    String(paces.length),
    written(paces.reduce((sum, { requests }) => sum + requests, 0)),
    written(Math.min(...paces.map(({ fastestWindow }) => fastestWindow)), 3),
    String(paces.filter(({ fastestWindow }) => fastestWindow < 0.95).length),
    written(median(paces.map(({ rate }) => rate)), 2),
    written(Math.min(...paces.map(({ shortestGapMs }) => shortestGapMs)), 1),
  ]
}

const head = [
  ...['run', 'hosts', 'requests', 'fastest 20 in a row, as a share of the policy’s time'],
  ...['hosts more than 5 % too fast', 'requests/s, median host', 'shortest gap, ms'],
]
console.log(
  [
    `${today()}, ${machine()}, load ${loadNow()} at the end; policy ${1_000 / gapMs}/s, a gap of ${gapMs} ms.`,
    markdownTable(head, rows),
  ].join('\n\n'),
)
process.exitCode = rows.some(row => row[4] !== '0') ? 1 : 0
