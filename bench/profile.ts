// Where does the CPU time of a crawl go, by part? --pages 5000 --raw --default (no rules) --site FOLDER --max 4000
// V8 samples every JavaScript thread at fixed intervals. The CPU time of the process is divided among the parts in proportion to
// their samples. So every part includes a share of V8's own threads (mostly garbage collection). Needs `bench/setup` once.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadNow, machine, today } from './measuring/machine.ts'
import { build, kscrape } from './measuring/program.ts'
import { markdownTable, written } from './measuring/statistics.ts'
import { msByPart, type Part, type Profile, parts } from './profile/parts.ts'
import { Nginx } from './static/nginx.ts'
import { run } from './static/run.ts'
import { writeSite } from './static/site.ts'

const { values: flags } = parseArgs({
  options: {
    pages: { type: 'string', default: '5000' },
    raw: { type: 'boolean', default: false },
    default: { type: 'boolean', default: false },
    site: { type: 'string' },
    max: { type: 'string', default: '4000' },
  },
})

const workDirectory = join(import.meta.dirname, '.work')
const profiles = join(workDirectory, 'profiles')
rmSync(profiles, { recursive: true, force: true })
mkdirSync(profiles, { recursive: true })
const root = flags.site ?? writeSite(workDirectory, Number(flags.pages))
build('--apart')
await using nginx = await Nginx.start(workDirectory, [{ root, pages: Number(flags.pages) }])
const measure = await run(
  {
    name: 'kscrape',
    site: 'whole',
    command: ({ origin, out, data }) =>
      profiled(
        kscrape(
          'crawl',
          `${origin}/`,
          ...['--rate', 'unlimited', '--allow-private', new URL(origin).host],
          ...['-o', out, '--data-dir', data, '--quiet', '--max-pages', flags.max],
          ...(flags.default || flags.site
            ? []
            : ['--extract', join(import.meta.dirname, 'static/rules.yaml')]),
          ...(flags.raw ? [] : ['--no-raw']),
        ),
      ),
  },
  { nginx, site: nginx.sites[0]!, workDirectory, limitSeconds: 600, countPages: linesOf },
)
if (measure.problem !== null) throw new Error(`the crawl failed: ${measure.problem}`)
report(measure.pages, measure.cpuSecondsPer1000 * measure.pages)

/** Adds V8's profiler flags to a command, also for its threads. */
function profiled(command: string[]): string[] {
  const node = command.indexOf(process.execPath)
  const more = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--cpu-prof-interval=500']
  return [...command.slice(0, node + 1), ...more, ...command.slice(node + 1)]
}

function report(pages: number, cpuMs: number): void {
  const files = readdirSync(profiles).filter(name => name.endsWith('.cpuprofile'))
  const spent = new Map<Part, number>()
  for (const file of files) {
    const profile = JSON.parse(readFileSync(join(profiles, file), 'utf8')) as Profile
    for (const [part, ms] of msByPart(profile)) spent.set(part, (spent.get(part) ?? 0) + ms)
  }
  const sampled = [...spent.values()].reduce((sum, ms) => sum + ms, 0)
  const row = (name: string, share: number) => [
    name,
    written((share * cpuMs * 1_000) / pages),
    `${written(share * 100, 1)} %`,
  ]
  const rows = parts.map(part => row(part, (spent.get(part) ?? 0) / sampled))
  rows.push(row('all', 1))
  console.log(
    `${today()}, ${machine()}, load ${loadNow()}; ${written(pages)} pages, ${files.length} threads. The profiler itself uses some of the CPU time.\n`,
  )
  console.log(markdownTable(['part', 'µs per page', 'share'], rows))
}

function linesOf(file: string): number {
  return readFileSync(file, 'utf8').trimEnd().split('\n').length
}
