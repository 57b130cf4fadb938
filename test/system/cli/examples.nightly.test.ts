// Tests that the examples work as described. Each example runs as a reader would run it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { type DemoSite, startDemoSite } from '../../../src/demo-site/index.ts'
import { gapsMs } from '../../site/index.ts'
import { paceOf } from '../../support/arrivals.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../../..')

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'kscrape-example-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The command in an example's README, with the URL of our site and the path of the checkout. */
async function commandOf(example: string, site: DemoSite): Promise<string> {
  const readme = await readFile(join(root, 'examples', example, 'README.md'), 'utf8')
  const command = /```sh\n(.+)\n```/.exec(readme)?.[1]
  assert.ok(command, 'its README names one command')
  return command
    .replaceAll('127.0.0.1:8080', `${site.host}:${site.port}`)
    .replaceAll('./kscrape', join(root, 'kscrape'))
    .replaceAll(`examples/${example}/`, `${join(root, 'examples', example)}/`)
}

async function runExample(example: string, site: DemoSite, cwd: string) {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: cwd, SCRAPER_TRUST: 'on' }
  return run('sh', ['-c', await commandOf(example, site)], { cwd, env, timeout: 60_000 })
}

test('the demo that `make run` starts shows products of the demo site', async () => {
  await using folder = await temporaryFolder()
  const script = join(root, 'examples/demo/run.ts')
  const { stdout, stderr } = await run(process.execPath, [script, folder.path, '70'])
  assert.match(stderr, /completed demo: \d+ records from 70 pages/)
  assert.match(stdout, /^NAME +PRICE +BRAND/m)
  assert.match(stdout, /^\S.*\d+\.\d\d (EUR|GBP|USD) .*(yes|no) +\d\.\d/m)
})

test('the example crawl-a-site prints the title of each page', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  const { stdout } = await runExample('crawl-a-site', site, folder.path)
  const lines = stdout.trim().split('\n')
  assert.equal(lines.length, 15)
  assert.ok(
    lines.every(line => /^200 {2}http:\/\/\S+ {2}\S/.test(line)),
    stdout,
  )
})

test('the example typed-scraper looks up the prices of three products', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  const { stdout } = await runExample('typed-scraper', site, folder.path)
  assert.match(stdout, /^umber-floor-lamp-1: Umber Floor Lamp 1, \d+\.\d\d (EUR|USD|GBP)/m)
  assert.match(stdout, /^the dearest of 3 costs \d+\.\d\d$/m)
})

test('the example rules-file writes products in two formats', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  await runExample('rules-file', site, folder.path)
  const [head, ...rows] = (await readFile(join(folder.path, 'products.csv'), 'utf8')).trim().split('\n')
  assert.match(head!, /^name,price/)
  const products = (await readFile(join(folder.path, 'products.jsonl'), 'utf8')).trim().split('\n')
  assert.ok(products.length > 5)
  assert.equal(rows.length, products.length)
  assert.ok(JSON.parse(products[0]!).sku)
})

test('the example resume-after-kill has every record once in the end', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  const { stdout } = await runExample('resume-after-kill', site, folder.path)
  assert.match(stdout, /killed with \d+ records/)
  assert.match(stdout, /resumed: 40 records, 40 different pages/)
})

test('the example polite-by-policy keeps the rate of the domain policy, although the job sets no rate', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  // Sends a first request that does not count: its arrival is measured late, so the next request would seem too early.
  await (await fetch(site.url)).text()
  site.requests.length = 0
  await runExample('polite-by-policy', site, folder.path)
  assert.ok(site.requests.length >= 9)
  // Checks the rate over all requests, because a pause of this process changes the time of a single arrival, but not the rate.
  const times = site.requests.map(({ at }) => at)
  assert.ok(
    paceOf(site.url, times, 200).fastestWindow >= 0.95,
    `gaps of ${gapsMs(site.requests).map(Math.round)} ms`,
  )
})

test('the example static-and-js gets title and canonical URL of both pages, and uses a browser only for the page that needs one', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  await runExample('static-and-js', site, folder.path)
  const lines = (await readFile(join(folder.path, 'pages.jsonl'), 'utf8')).trim().split('\n')
  const records = lines.map(line => JSON.parse(line)).sort((a, b) => a.title.localeCompare(b.title))
  assert.deepEqual(
    records.map(({ title, canonical, _page }) => [title, canonical, _page.way]),
    [
      ['About · Kestrel & Pine', `${site.url}/about`, 'http'],
      ['The shop, by script', `${site.url}/spa/`, 'browser'],
    ],
  )
})

const fiveScrapers = join(root, 'examples/five-scrapers')
/** The environment variables that `make` sets. */
const trusting = { ...process.env, SCRAPER_TRUST: 'on' }

test('the example five-scrapers finds products in the demo shop', async () => {
  await using folder = await temporaryFolder()
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  const words = join(folder.path, 'words.csv')
  await writeFile(words, `words,base_url\nlamp,${site.url}\nkettle,${site.url}\n`)
  const flags = [
    '--allow-private',
    `${site.host}:${site.port}`,
    '--data-dir',
    join(folder.path, 'data'),
    '-q',
  ]
  const { stdout } = await run(join(root, 'kscrape'), ['run', words, '--scraper', 'find-product', ...flags], {
    cwd: fiveScrapers,
    env: trusting,
  })
  const found = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { hits: number; name: string })
  assert.equal(found.length, 2)
  assert.ok(found.every(({ hits, name }) => hits > 0 && name))
})
