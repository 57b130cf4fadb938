// How much do pages and requests that exhaust memory slow other jobs? --bombs "json of empty objects,wide html" --rounds 3
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bombPages } from '../test/security/bomb-pages.ts'
import { BombedService } from '../test/security/bombed-service.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: { bombs: { type: 'string' }, rounds: { type: 'string', default: '3' } },
})
const rounds = Number(flags.rounds)
const names = flags.bombs?.split(',') ?? Object.keys(bombPages)
const folder = mkdtempSync(join(tmpdir(), 'kscrape-bombs-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const watch = new URL('./bombs/watch-loop.mjs', import.meta.url).href
await using service = await BombedService.open({
  NODE_OPTIONS: `--import=${watch}`,
  LOOP_FOLDER: folder,
})

/** The longest block of the event loop, as a delay and as CPU time. */
const longestBlock = async (): Promise<string[]> => {
  await wait(1_000)
  const text = readFileSync(join(folder, String(service.pid)), 'utf8')
  return text.split(' ').map(ms => written(Number(ms)))
}
const forgetBlocks = () => process.kill(service.pid, 'SIGUSR2')

async function goodJob(): Promise<number> {
  const startedAt = performance.now()
  await service.goodRecords()
  return performance.now() - startedAt
}

// The first run includes one-time costs, so it is not measured.
await goodJob()
const alone: number[] = []
for (let round = 0; round < 2 * rounds; round++) alone.push(await goodJob())
const usual = median(alone)

/** Repeats the good job while the attack runs. Compares the median time of the good job with its median without an attack. */
async function beside(attack: () => Promise<unknown>): Promise<string[]> {
  forgetBlocks()
  const over = new AbortController()
  const health = service.watchHealth(over.signal)
  const times: number[] = []
  const attacked = (async () => {
    do await attack()
    while (times.length < rounds)
  })()
  const attackEnds = attacked.then(() => true)
  do times.push(await goodJob())
  while (!(await Promise.race([attackEnds, Promise.resolve(false)])))
  over.abort()
  const answers = await health
  return [
    written(median(times) / usual, 2),
    written(Math.max(...times) / usual, 2),
    written(Math.max(...answers)),
    ...(await longestBlock()),
  ]
}

const rows: string[][] = []
for (const name of names) {
  const cells = await beside(() => service.run('alpha', { urls: [service.site.urlOf(name)] }))
  rows.push([name, ...cells])
  console.error(rows.at(-1)!.join('  '))
}
const keys = Object.fromEntries(Array.from({ length: 70_000 }, (_, index) => [`urlz${index}`, 0]))
rows.push(['a body of unknown keys', ...(await beside(() => service.ask('/jobs', keys)))])
const list = { urls: Array.from({ length: 25_000 }, (_, index) => `http://a.example/${index}`) }
rows.push([
  'an invalid body of 25,000 URLs',
  ...(await beside(() => service.ask('/plan', { ...list, depth: -1 }))),
])
rows.push(['a plan of 25,000 URLs', ...(await beside(() => service.ask('/plan', list)))])
/** Submits a list with this path, and cancels its job before the next one. */
const submitted = (path: string) => async () => {
  const { job_id, id = job_id } = await service.ask<{ job_id?: string; id?: string }>(path, list)
  if (id === undefined) throw new Error(`${path} refused the list`)
  await service.ask(`/jobs/${id}/cancel`, {})
}
for (const path of ['/jobs', '/v2/batch/scrape'])
  rows.push([`${path} with 25,000 URLs`, ...(await beside(submitted(path)))])

console.log(`${today()}, ${machine()}, ${loadNow()}. The good job alone: ${written(usual)} ms.\n`)
console.log(
  markdownTable(
    [
      'attack',
      'good job, times as long (target 1.5)',
      'slowest',
      '/healthz, ms (target 200)',
      'event loop, ms (target 50)',
      'the same in CPU time, ms',
    ],
    rows,
  ),
)
process.exit(0)
