// How fast is a crawl of real sites without rules, beside Crawlee? --pages 4000 --peer-pages 1000 --rounds 1 --only NAME
// The sites are Debian's documentation packages. Both programs store markdown, text and links of each page. kscrape also stores
// the raw page and the structured data. Needs `bench/setup` once.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadNow, machine, today } from './measuring/machine.ts'
import { kscrape } from './measuring/program.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'
import type { Contender } from './static/contenders.ts'
import { Nginx } from './static/nginx.ts'
import { type Measure, run } from './static/run.ts'

const { values: flags } = parseArgs({
  options: {
    pages: { type: 'string', default: '4000' },
    'peer-pages': { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    limit: { type: 'string', default: '600' },
  },
})

/** Debian packages with a site in HTML, and where they install it. */
const sites = Object.entries({
  'python3.11-doc': '/usr/share/doc/python3.11/html',
  'sqlite3-doc': '/usr/share/doc/sqlite3',
  'postgresql-doc-15': '/usr/share/doc/postgresql-doc-15/html',
  'openjdk-17-doc': '/usr/share/doc/openjdk-17-jre-headless/api',
}).filter(([name]) => name.includes(flags.only))

/** Targets for openjdk-17-doc: pages/s relative to the peer, ms of CPU per page, and MB. */
const targets = { ratio: 25, cpuMs: 2.8, memoryMb: 280 }

const missing = [join(import.meta.dirname, 'node_modules'), ...sites.map(([, root]) => root)].filter(
  path => !existsSync(path),
)
if (missing.length > 0) {
  console.error(missing.map(path => `${path} is missing: run bench/setup`).join('\n'))
  process.exit(1)
}

const ours: Contender = {
  name: 'kscrape',
  site: 'whole',
  command: ({ origin, out, data }) => {
    const fast = ['--rate', 'unlimited', '--allow-private', new URL(origin).host]
    const kept = ['-o', out, '--data-dir', data, '--quiet', '--max-pages', flags.pages]
    return kscrape('crawl', `${origin}/`, ...fast, ...kept)
  },
}
const peer: Contender = {
  name: 'Crawlee, linkedom, Readability, turndown',
  site: 'whole',
  command: ({ origin, out }) => [
    process.execPath,
    join(import.meta.dirname, 'peers', 'crawlee-readable.mjs'),
    origin,
    out,
    flags['peer-pages'],
  ],
}

const workDirectory = join(import.meta.dirname, '.work')
mkdirSync(workDirectory, { recursive: true })
const rows: string[][] = []
for (const [name, root] of sites) rows.push(...(await compare(name, root)))
console.log(`${today()}, ${machine()}, load ${loadNow()} at the end; ${flags.rounds} rounds.\n`)
const header = [
  'site',
  'crawler',
  'pages',
  'pages/s',
  'CPU ms per page',
  'peak memory MB',
  'kscrape ÷ this program',
]
console.log(markdownTable(header, rows))
console.log(
  `\nTargets on openjdk-17-doc: ≥ ${targets.ratio} times the pages/s of the peer, ≤ ${targets.cpuMs} ms of CPU per page, < ${targets.memoryMb} MB.`,
)

/** Rounds are interleaved, so that both crawlers run under the same load of the machine. */
async function compare(name: string, root: string): Promise<string[][]> {
  await using nginx = await Nginx.start(workDirectory, [{ root, pages: 0 }])
  const measures: Measure[][] = [[], []]
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const [index, contender] of [ours, peer].entries()) {
      const parts = { nginx, site: nginx.sites[0]!, workDirectory, limitSeconds: Number(flags.limit) }
      const measure = await run(contender, { ...parts, countPages: linesOf })
      console.error(
        `${name}  ${contender.name.padEnd(42)} ${written(measure.pagesPerSecond)} pages/s ${measure.problem ?? ''}`,
      )
      measures[index]!.push(measure)
    }
  }
  const middle = (of: Measure[], read: (measure: Measure) => number) => median(of.map(read))
  const speed = middle(measures[0]!, each => each.pagesPerSecond)
  return [ours, peer].map((contender, index) => {
    const own = measures[index]!
    return [
      name,
      contender.name,
      written(middle(own, each => each.pages)),
      written(middle(own, each => each.pagesPerSecond)),
      written(
        middle(own, each => each.cpuSecondsPer1000),
        2,
      ),
      written(middle(own, each => each.peakMemoryMb)),
      written(speed / middle(own, each => each.pagesPerSecond), 1),
    ]
  })
}

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').trimEnd().split('\n').length
}
