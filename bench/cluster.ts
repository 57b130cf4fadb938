// How fast is a crawl over several processes, compared with one process and Crawlee, and what does each page cost the services?
// --pages 20000 --small 5000 --rounds 1 --workers 2 --processors 2 --only cluster --profiles DIR
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { Roles } from './cluster/roles.ts'
import { Services } from './cluster/services.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, withRange, written } from './measuring/statistics.ts'
import { problemOf } from './static/check.ts'
import { contenders, names } from './static/contenders.ts'
import { Nginx, type Site } from './static/nginx.ts'
import { run } from './static/run.ts'
import { writeSite } from './static/site.ts'

const { values: flags } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    small: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    processors: { type: 'string', default: '2' },
    limit: { type: 'string', default: '600' },
    only: { type: 'string', multiple: true, default: [''] },
    profiles: { type: 'string' },
  },
})

interface Row {
  pagesPerSecond: number
  cpuPer1000: number
  problem: string | null
  perPage?: { statements: number; transactions: number; commands: number; objects: number }
  byRole?: Map<string, number>
  databaseBytesPerPage?: number
}

const workDirectory = join(import.meta.dirname, '.work')
const limitSeconds = Number(flags.limit)
const rules = parse(readFileSync(join(import.meta.dirname, 'static', 'rules.yaml'), 'utf8'))
const clusters = { 'cluster, raw pages stored': 'segments', cluster: 'none' } as const
const beside = [names.oursWithRaw, names.ours, names.cheerio, names.http]
// Exits on a signal, because only exit handlers end the started processes.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

mkdirSync(workDirectory, { recursive: true })
const sizes = [Number(flags.pages), Number(flags.small)]
const roots = sizes.map(pages => ({ root: writeSite(workDirectory, pages), pages }))
await using nginx = await Nginx.start(workDirectory, roots)
const rows = new Map<string, Row[]>()
const load = loadNow()
for (let round = 1; round <= Number(flags.rounds); round++) await runRound(round)
report()

async function runRound(round: number): Promise<void> {
  const turns: Array<[string, () => Promise<Row>]> = [
    ...Object.entries(clusters).map(([name, raw]): [string, () => Promise<Row>] => [
      name,
      () => runCluster(nginx.sites[0]!, raw),
    ]),
    ...beside.map((name): [string, () => Promise<Row>] => [name, () => runContender(name)]),
  ]
  for (const [name, measure] of round % 2 === 1 ? turns : turns.toReversed()) {
    if (!flags.only.some(part => name.includes(part))) continue
    const row = await measure()
    rows.set(name, [...(rows.get(name) ?? []), row])
    console.error(`${round}  ${name.padEnd(45)} ${written(row.pagesPerSecond)} pages/s  ${row.problem ?? ''}`)
  }
}

async function runContender(name: string): Promise<Row> {
  const contender = contenders.find(one => one.name === name)!
  const site = nginx.sites[contender.site === 'whole' ? 0 : 1]!
  const { pagesPerSecond, cpuSecondsPer1000, problem } = await run(contender, {
    ...{ nginx, site, workDirectory, limitSeconds },
  })
  return { pagesPerSecond, cpuPer1000: cpuSecondsPer1000, problem }
}

async function runCluster({ port, pages }: Site, raw: 'segments' | 'none'): Promise<Row> {
  await using services = await Services.start()
  await using roles = await Roles.start({
    ...{ env: services.env, site: `127.0.0.1:${port}`, profiles: flags.profiles },
    ...{ workers: Number(flags.workers), processors: Number(flags.processors) },
  })
  const before = { asked: await services.asked(), costs: roles.costs() }
  const submittedAt = Date.now()
  const jobId = await roles.submit({
    seed_urls: [`http://127.0.0.1:${port}/`],
    extract: rules,
    results: { raw },
    policy: { host: { rate: 'unlimited' } },
  })
  await services.ended(jobId, limitSeconds)
  const seconds = (Date.now() - nginx.firstRequestMs(port, submittedAt)!) / 1_000
  const after = { asked: await services.asked(), costs: roles.costs() }
  if (flags.profiles !== undefined) console.error(await services.mostAsked())
  const byRole = new Map<string, number>()
  for (const [index, { name, cpu }] of after.costs.entries())
    byRole.set(name, (byRole.get(name) ?? 0) + ((cpu - before.costs[index]!.cpu) / pages) * 1_000)
  const services1000 = (what: 'postgresCpu' | 'redisCpu' | 'standInCpu') =>
    ((after.asked[what] - before.asked[what]) / pages) * 1_000
  byRole.set('PostgreSQL', services1000('postgresCpu'))
  byRole.set('Redis', services1000('redisCpu'))
  byRole.set('S3 stand-in', services1000('standInCpu'))
  const per = (what: 'statements' | 'transactions' | 'commands' | 'objects') =>
    (after.asked[what] - before.asked[what]) / pages
  return {
    pagesPerSecond: pages / seconds,
    cpuPer1000: [...byRole.values()].reduce((sum, own) => sum + own, 0),
    problem: await problemIn(roles, jobId, pages),
    perPage: {
      ...{ statements: per('statements'), transactions: per('transactions') },
      ...{ commands: per('commands'), objects: per('objects') },
    },
    byRole,
    databaseBytesPerPage: (await services.databaseBytes()) / pages,
  }
}

async function problemIn(roles: Roles, jobId: string, pages: number): Promise<string | null> {
  const file = join(workDirectory, 'cluster.jsonl')
  const body = await roles.download(`/jobs/${jobId}/export?format=jsonl`)
  await pipeline(Readable.fromWeb(body as never), createWriteStream(file))
  return problemOf(file, pages)
}

function report(): void {
  const speedOf = (name: string) => median((rows.get(name) ?? []).map(row => row.pagesPerSecond))
  const table = [...rows].map(([name, measured]) => [
    name,
    withRange(measured.map(row => row.pagesPerSecond)),
    withRange(
      measured.map(row => row.cpuPer1000),
      2,
    ),
    ...(['statements', 'transactions', 'commands', 'objects'] as const).map(what =>
      written(median(measured.map(row => row.perPage?.[what] ?? Number.NaN)), 3),
    ),
    measured.find(({ problem }) => problem !== null)?.problem ?? 'yes',
  ])
  console.log(
    `${today()}, ${machine()}, load ${load} before, ${loadNow()} at the end; ${flags.rounds} rounds.\n`,
  )
  console.log(
    markdownTable(
      [
        ...['run', 'pages/s', 'CPU s per 1,000 pages', 'SQL statements per page', 'transactions per page'],
        ...['Redis commands per page', 'S3 calls per page', 'all pages and fields correct'],
      ],
      table,
    ),
  )
  for (const name of Object.keys(clusters)) {
    const [row] = rows.get(name) ?? []
    if (!row?.byRole) continue
    const roles = [...row.byRole].map(([role, cpu]) => `${role} ${cpu.toFixed(2)}`).join(', ')
    console.log(
      `\n${name}: CPU s per 1,000 pages: ${roles}; bytes in PostgreSQL a page: ${written(row.databaseBytesPerPage!)}`,
    )
  }
  const asked = [
    ['cluster, raw pages stored', names.oursWithRaw, 0.5],
    ['cluster', names.ours, 0.5],
    ['cluster', names.cheerio, 10],
    ['cluster, raw pages stored', names.cheerio, 10],
  ] as const
  const ratios = asked.flatMap(([of, to, least]) => {
    const ratio = speedOf(of) / speedOf(to)
    if (Number.isNaN(ratio)) return []
    // A verdict needs measurements of both contenders.
    const verdict = !Number.isFinite(ratio) ? '–' : ratio >= least ? 'yes' : 'no'
    return [[`${of} ÷ ${to}`, ratio.toFixed(2), `≥ ${least}`, verdict]]
  })
  if (ratios.length > 0)
    console.log(`\n${markdownTable(['measurement', 'measured', 'target', 'target met'], ratios)}`)
}
