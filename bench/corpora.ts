// How much of real pages do we extract, compared with other libraries, and how much CPU does a page take?
// --from DIR is the folder of the corpora. Their own `score.mjs` scores each output. All results are in one table.
// --no-peers omits the other libraries, which need `bench/setup` once. --only NAME[,NAME] selects corpora, --keep DIR stores the
// outputs.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type CorpusName, corpora, type Item, openCorpus } from './corpora/corpus.ts'
import { measuresOf, shown } from './corpora/figures.ts'
import { type OutputOf, ours } from './corpora/ours.ts'
import { peerNames, peers } from './corpora/peers.ts'
import { recorded } from './corpora/recorded.ts'
import { type Figures, score } from './corpora/score.ts'
import { verdict } from './corpora/targets.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    from: { type: 'string', default: '../shared/corpora' },
    only: { type: 'string' },
    keep: { type: 'string' },
    worst: { type: 'string' },
    peers: { type: 'boolean', default: true },
  },
  allowNegative: true,
})
const from = resolve(flags.from)
if (!existsSync(join(from, 'score.mjs'))) {
  console.error(
    `${from} has no score.mjs; give the folder of the corpora: npm run bench -- corpora --from DIR`,
  )
  process.exit(2)
}
const asked = flags.only?.split(',') ?? corpora
const unknown = asked.filter(name => !(corpora as readonly string[]).includes(name))
if (unknown.length > 0) {
  console.error(`--only ${unknown.join(',')} names no corpus; the corpora are ${corpora.join(', ')}`)
  process.exit(2)
}
const outputs = flags.keep === undefined ? mkdtempSync(join(tmpdir(), 'corpora-')) : resolve(flags.keep)
mkdirSync(outputs, { recursive: true })

interface Scored {
  figures: Figures
  msPerPage: number
}

const rows: string[][] = []
const worst: string[] = []
const shownPeers = flags.peers ? peerNames : []
for (const name of asked as CorpusName[]) await measure(name)
if (flags.keep === undefined) rmSync(outputs, { recursive: true })
console.log(`${machine()}, ${today()}, load ${loadNow()}\n`)
const header = ['corpus', 'measure', 'kscrape', 'target', ...shownPeers, 'recorded']
console.log(markdownTable(header, rows))
for (const text of worst) console.log(`\n${text}`)

async function measure(name: CorpusName): Promise<void> {
  const items = openCorpus(from, name)
  if (items === null) return console.error(`${name}: no gold.jsonl in ${join(from, name)}; see its README.md`)
  const tools = [{ name: 'kscrape', outputOf: ours[name] }, ...(flags.peers ? await peers(name) : [])]
  const scored = new Map<string, Scored>()
  for (const tool of tools) {
    const file = join(outputs, `${name}.${tool.name.replaceAll(/\W+/g, '-')}.jsonl`)
    const msPerPage = await write(file, items(), tool.outputOf)
    const result = score(from, name, file, tool.name === 'kscrape' ? Number(flags.worst ?? 0) : 0)
    scored.set(tool.name, { figures: result.figures, msPerPage })
    if (result.worst) worst.push(`${name}, worst first\n${result.worst}`)
  }
  rows.push(...rowsOf(name, scored))
}

/** Writes the outputs, and returns the CPU time of one item in milliseconds. */
async function write(file: string, items: Iterable<Item>, outputOf: OutputOf): Promise<number> {
  const lines: string[] = []
  let spentMs = 0
  for (const item of items) {
    const before = process.cpuUsage()
    const output = await outputOf(item)
    const { user, system } = process.cpuUsage(before)
    spentMs += (user + system) / 1_000
    lines.push(JSON.stringify({ id: item.gold.id, ...output }))
  }
  writeFileSync(file, `${lines.join('\n')}\n`)
  return spentMs / lines.length
}

function rowsOf(name: CorpusName, scored: Map<string, Scored>): string[][] {
  const measures = measuresOf(name).map(([heading, figure]) => [
    name,
    heading,
    shown(figure, scored.get('kscrape')?.figures[figure]),
    verdict(name, figure, scored.get('kscrape')?.figures[figure]),
    ...shownPeers.map(peer => shown(figure, scored.get(peer)?.figures[figure])),
    recorded(name, figure),
  ])
  const times = ['kscrape', '', ...shownPeers].map(tool =>
    tool === '' ? '' : written(scored.get(tool)?.msPerPage ?? Number.NaN, 2),
  )
  return [...measures, [name, 'CPU ms an item', ...times, '–']]
}
