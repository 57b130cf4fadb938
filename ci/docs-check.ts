// Checks the documents: dead links, and every command that can run here. npm run docs-check [-- WORD…]; words choose pages.
import { availableParallelism } from 'node:os'
import { commandsOf, hiddenCommands, scriptOf } from './docs-check/commands.ts'
import { countLinks, deadLinks } from './docs-check/links.ts'
import { readPages } from './docs-check/markdown.ts'
import { type PageRun, runPage } from './docs-check/run-page.ts'

const pageLimitMs = 300_000
const words = process.argv.slice(2)
const pages = readPages()
const chosen = pages.filter(({ path }) => words.length === 0 || words.some(word => path.includes(word)))

function say(run: PageRun): void {
  const verdict = run.trouble === null ? 'ok' : 'FAILED'
  const left = run.leftOut.length > 0 ? `, ${run.leftOut.length} not` : ''
  console.log(
    `${verdict.padEnd(7)} ${run.page}: ${run.ran} blocks ran${left} (${(run.tookMs / 1_000).toFixed(1)} s)`,
  )
  for (const { line, reason } of run.leftOut) console.log(`          line ${line} not run: ${reason}`)
  if (run.trouble !== null) console.log(run.trouble)
}

/** Runs a few pages at a time. The output of a page is printed when the page has ended, so that outputs do not mix. */
async function runAll(): Promise<PageRun[]> {
  const waiting = chosen.map(scriptOf).filter(script => commandsOf(script).length > 0)
  const done: PageRun[] = []
  const runNext = async () => {
    for (let script = waiting.shift(); script; script = waiting.shift()) {
      const run = await runPage(script, { isAlone: true, limitMs: pageLimitMs })
      say(run)
      done.push(run)
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, runNext))
  return done
}

const wrong = [...deadLinks(pages), ...pages.flatMap(hiddenCommands)]
for (const line of wrong) console.log(line)
const runs = await runAll()
const failed = runs.filter(({ trouble }) => trouble !== null)
const ran = runs.reduce((sum, run) => sum + run.ran, 0)
const leftOut = runs.flatMap(run => run.leftOut)
console.log(
  `\n${pages.length} pages, ${countLinks(pages)} links, ${wrong.length} wrong; ${ran} blocks ran, ${leftOut.length} could not:`,
)
const byReason = Map.groupBy(leftOut, ({ reason }) => reason)
for (const [reason, blocks] of byReason) console.log(`  ${String(blocks.length).padStart(3)}  ${reason}`)
if (wrong.length + failed.length > 0) {
  console.log(`\n${failed.length} pages failed, ${wrong.length} links or blocks are wrong`)
  process.exitCode = 1
}
process.exit()
