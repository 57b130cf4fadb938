// Kills a crawl in the middle, resumes it, and checks that no record is missing or duplicated.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const site = process.argv[2] ?? 'http://127.0.0.1:8080/'
const program = join(import.meta.dirname, '../../kscrape')
const dataDir = '.kscrape-killed'
const file = join(dataDir, 'pages.jsonl')
const wanted = 40

const run = (...args: string[]) =>
  spawn(program, [...args, '--data-dir', dataDir, '--allow-private', new URL(site).host, '--quiet'], {
    stdio: 'inherit',
  })
/** Empty if the file does not exist yet. */
function written(): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const records = (): Array<{ _page: { url: string } }> =>
  written()
    .split('\n')
    // After the last line break there is nothing, or an incomplete line. The resume removes an incomplete line.
    .slice(0, -1)
    .map(line => JSON.parse(line))

rmSync(dataDir, { recursive: true, force: true })
const crawl = run(
  'crawl',
  site,
  '--rate',
  '30/s',
  '--max-pages',
  String(wanted),
  '--job',
  'killed',
  '-o',
  file,
)
const killed = once(crawl, 'exit')
while (records().length < 10 && crawl.exitCode === null) await wait(20)
crawl.kill('SIGKILL')
await killed
console.log(`killed with ${records().length} records in ${file}`)

await once(run('jobs', 'resume', 'killed'), 'exit')
const urls = records().map(({ _page }) => _page.url)
console.log(`resumed: ${urls.length} records, ${new Set(urls).size} different pages`)
rmSync(dataDir, { recursive: true, force: true })
process.exitCode = urls.length === wanted && new Set(urls).size === wanted ? 0 : 1
