// Tests the published package: installed in an empty folder, it runs as a program and as a library.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDemoSite } from '../../../src/demo-site/index.ts'
import {
  type InstalledPackage,
  installedBytes,
  installPackage,
  link,
} from '../../support/installed-package.ts'

interface Ended {
  code: number
  stdout: string
  stderr: string
}

let installed: InstalledPackage
before(async () => {
  installed = await installPackage()
})
after(() => installed[Symbol.asyncDispose]())

/** Runs Node in the folder, with PATH as the only variable of this environment. */
function node(args: string[], variables: Record<string, string> = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, ...variables }
  const options = { cwd: installed.folder, env, timeout: 600_000 }
  return new Promise(resolve => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr })
    })
  })
}

const program = 'node_modules/kscrape/bin/kscrape.js'

test('the npm package contains JavaScript and types, but no sources or tests', () => {
  const strays = installed.files.filter(path => /\.test\.|(?<!\.d)\.ts$|^src|^test/.test(path))
  assert.deepEqual(strays, [])
  assert.ok(installed.files.includes('dist/index.d.ts'))
  assert.ok(installed.files.includes('dist/config/domain_policies.yaml'))
  for (const name of ['index.html', 'picker.js'])
    assert.ok(installed.files.includes(`dist/dashboard/${name}`), name)
})

test('the package and its dependencies take less than 120 MB', async () => {
  const bytes = await installedBytes(installed.folder)
  assert.ok(bytes > 50e6, `only ${bytes} bytes: packages are missing from the sum`)
  assert.ok(bytes < 120e6, `${bytes} bytes`)
})

test('the installed program can show its documents', async () => {
  const list = await node([program, 'docs'])
  assert.match(list.stdout, /extraction-rules/)
  const page = await node([program, 'docs', 'exit-codes'])
  assert.equal(page.code, 0, page.stderr)
  assert.match(page.stdout, /Exit codes/)
})

test('the error for a feature whose optional package is missing names the command that installs it', async () => {
  const cluster = {
    DATABASE_URL: 'postgres://127.0.0.1:1/x',
    REDIS_URL: 'redis://127.0.0.1:1',
    S3_BUCKET: 'x',
    SCRAPER_CLUSTER_SECRET: '0123456789abcdef0123456789abcdef',
  }
  await writeFile(join(installed.folder, 'a.parquet'), '')
  const tries: [args: string[], variables: Record<string, string>, wanted: RegExp][] = [
    [['mcp'], {}, /npm install .*@modelcontextprotocol\/sdk@/],
    [['start', 'api'], cluster, /npm install .*pg@.*redis@/],
    [['query', 'select 1', '--file', 'a.parquet'], {}, /npm install .*@duckdb\/node-api@/],
    [
      ['serve', '--port', '0'],
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9/' },
      /npm install .*@opentelemetry/,
    ],
  ]
  for (const [args, variables, wanted] of tries) {
    const ended = await node([program, ...args], variables)
    assert.notEqual(ended.code, 0, args.join(' '))
    assert.match(ended.stderr, wanted, args.join(' '))
  }
})

test('the installed program prints its version and its commands', async () => {
  const version = await node([program, '--version'])
  assert.equal(version.stdout.trim(), installed.about.version)
  const help = await node([program, '--help'])
  assert.equal(help.code, 0)
  assert.match(help.stdout, /crawl .*follow links/)
})

test('an older Node prints a clear message instead of a syntax error', async () => {
  const asNode20 = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } })`
  const ended = await node([
    '--import',
    `data:text/javascript,${encodeURIComponent(asNode20)}`,
    program,
    '--help',
  ])
  assert.equal(ended.code, 1)
  assert.match(ended.stderr, /needs Node 24 or newer; this is 20\.11\.0/)
})

test('the installed program scrapes a page', async () => {
  await using site = await startDemoSite()
  const { host } = new URL(site.url)
  const ended = await node([program, `${site.url}/`, '--allow-private', host, '--format', 'json'])
  assert.equal(ended.code, 0, ended.stderr)
  assert.equal(JSON.parse(ended.stdout).final_url, `${site.url}/`)
})

test('the installed program crawls with worker threads, and rules with a regex work in their own thread', async () => {
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  await writeFile(
    join(installed.folder, 'rules.yaml'),
    `fields: { name: h1, letter: { css: h1, regex: '^(.)' } }\n`,
  )
  const flags = [
    '--allow-private',
    new URL(site.url).host,
    '--rate',
    '100/s',
    '--max-pages',
    '5',
    '--extract',
    'rules.yaml',
  ]
  const ended = await node([program, 'crawl', `${site.url}/`, ...flags], { SCRAPER_LANES: '1' })
  assert.equal(ended.code, 0, ended.stderr)
  const records = ended.stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { name: string; letter: string })
  assert.equal(records.length, 5)
  for (const { name, letter } of records) assert.equal(letter, name[0])
})

test('the installed library crawls', async () => {
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  const code = `
    import { crawl } from 'kscrape'
    const settings = { allowPrivate: [new URL(process.argv[2]).host], rate: 'unlimited' }
    for await (const record of crawl({ seedUrls: [process.argv[2]], maxPages: 3, settings })) console.log(record._page.url)
  `
  await writeFile(join(installed.folder, 'app.mjs'), code)
  const ended = await node(['app.mjs', `${site.url}/`])
  assert.equal(ended.code, 0, ended.stderr)
  assert.equal(ended.stdout.trim().split('\n').length, 3)
})

test('the installed client library calls a service', async () => {
  await using site = await startDemoSite({ crawlDelaySeconds: 0 })
  const { host } = new URL(site.url)
  await writeFile(
    join(installed.folder, 'ask.mjs'),
    `
    import { spawn } from 'node:child_process'
    import { once } from 'node:events'
    import { Client } from 'kscrape/client'
    const apiKey = 'the-key-of-this-test'
    const env = { ...process.env, SCRAPER_API_KEY: apiKey }
    const args = ['${program}', 'serve', '--port', '0', '--json', '--allow-private', '${host}']
    const service = spawn(process.execPath, args, { env })
    const [said] = await once(service.stderr.setEncoding('utf8'), 'data')
    const client = new Client({ server: JSON.parse(said).url, apiKey })
    const policy = { host: { rate: 'unlimited' } }
    const { jobId } = await client.jobs.create({ urls: ['${site.url}/'], policy })
    await client.jobs.wait(jobId)
    for await (const result of client.jobs.results(jobId)) console.log(result.status, result.data.title)
    service.kill('SIGTERM')
    await once(service, 'exit')
    `,
  )
  const ended = await node(['ask.mjs'])
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(ended.stdout, /^success \S/)
})

test('a scraper that the installed program creates passes its golden page and its test', async () => {
  for (const args of [
    [program, 'scrapers', 'new', 'thing'],
    [program, 'scrapers', 'test'],
    ['--test', 'scrapers/thing.test.ts'],
  ]) {
    const ended = await node(args)
    assert.equal(ended.code, 0, ended.stdout + ended.stderr)
  }
})

test('the installed types compile in a user’s project', async () => {
  const code = `
    import { crawl, defineConfig, defineScraper } from 'kscrape'
    import { ApiError, Client, type JobStatus } from 'kscrape/client'
    import { runScraper } from 'kscrape/testing'
    import * as z from 'zod'
    const titles = defineScraper({
      id: 'titles',
      output: z.object({ title: z.string() }),
      async run({ open, emit }) {
        emit({ title: (await open()).text('h1') ?? '' })
      },
    })
    const [tested] = await runScraper(titles, { url: 'https://example.com/', pages: { 'https://example.com/': '<h1>a</h1>' } })
    const text: string | undefined = tested?.title
    // @ts-expect-error the scraper gives no such field
    console.log(text, tested?.price)
    const client = new Client({ server: 'http://127.0.0.1:8001' })
    const status: JobStatus = await client.jobs.get('x')
    const succeeded: number = status.counts.byState.succeeded
    // @ts-expect-error the client speaks camelCase
    await client.jobs.create({ seed_urls: ['https://example.com/'] })
    console.log(succeeded, ApiError.name)
    export default defineConfig({ dataDir: 'jobs' })
    // @ts-expect-error a setting that does not exist
    defineConfig({ dataDirectory: 'jobs' })
    for await (const record of crawl({ seedUrls: ['https://example.com/'], scraper: titles })) {
      const title: string = record.title
      // @ts-expect-error the scraper gives no such field
      console.log(title, record.price, record._page.url)
    }
  `
  await writeFile(join(installed.folder, 'app.ts'), code)
  for (const name of ['typescript', '@types/node']) await link(installed.folder, name)
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--types',
    'node',
  ]
  const ended = await node(['node_modules/typescript/bin/tsc', ...flags, 'app.ts'])
  assert.equal(ended.stdout, '')
  assert.equal(ended.code, 0)
})
