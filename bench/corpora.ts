// How much of real pages do we extract, beside other libraries, and how much CPU does a page take? Needs --from DIR, the corpora.
// Needs `bench/setup` once for the peers; --no-peers leaves them out, --only NAME[,NAME] picks corpora, --keep DIR keeps the outputs.
// Each output is scored by the corpora's own `score.mjs`.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type CorpusName, corpora, openCorpus } from './corpora/corpus.ts'
import { headings, rowOf } from './corpora/figures.ts'
import { ours } from './corpora/ours.ts'
import { peers } from './corpora/peers.ts'
import { recorded } from './corpora/recorded.ts'
import { score } from './corpora/score.ts'
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
    `${from} holds no score.mjs; name the folder of the corpora: npm run bench -- corpora --from DIR`,
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

console.log(`${machine()}, ${today()}, load ${loadNow()}`)
for (const name of asked as CorpusName[]) await measure(name)
if (flags.keep === undefined) rmSync(outputs, { recursive: true })

async function measure(name: CorpusName): Promise<void> {
  const items = openCorpus(from, name)
  if (items === null)
    return console.log(`\n${name}: no gold.jsonl in ${join(from, name)}; see its README.md\n`)
  const tools = [{ name: 'kscrape', outputOf: ours[name] }, ...(flags.peers ? await peers(name) : [])]
  const rows: string[][] = []
  let worst = ''
  for (const tool of tools) {
    const file = join(outputs, `${name}.${tool.name.replaceAll(/\W+/g, '-')}.jsonl`)
    const lines: string[] = []
    let spentMs = 0
    for (const item of items()) {
      const before = process.cpuUsage()
      const output = await tool.outputOf(item)
      const { user, system } = process.cpuUsage(before)
      spentMs += (user + system) / 1_000
      lines.push(JSON.stringify({ id: item.gold.id, ...output }))
    }
    writeFileSync(file, `${lines.join('\n')}\n`)
    const scored = score(from, name, file, tool.name === 'kscrape' ? Number(flags.worst ?? 0) : 0)
    worst ||= scored.worst
    rows.push(rowOf(name, tool.name, scored.figures, written(spentMs / lines.length, 2)))
  }
  console.log(`\n## ${name}\n`)
  console.log(markdownTable(headings(name), [...rows, ...recorded(name)]))
  if (worst) console.log(`\n${worst}`)
}
