// Tests the official MCP inspector, unmodified, with our MCP server: over HTTP with a key, and over stdio with `kscrape mcp`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { awake } from '../support/awake.ts'
import { installedDropIn } from '../support/drop-in.ts'
import { operatorKey, TestService } from '../support/service.ts'

type Json = Record<string, unknown>

const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')
let inspector: string
let site: TestSite
let service: TestService
let folder: string
before(async () => {
  inspector = join(
    await installedDropIn('mcp-inspector-nightly'),
    '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  )
  folder = await mkdtemp(join(tmpdir(), 'kscrape-inspector-'))
  site = await startTestSite()
  site.serve('/oak', '<title>Oak</title><h1>Oak</h1><p>An oak seedling.</p>')
  service = await TestService.open({
    settings: { rate: 'unlimited', allowPrivate: [`${site.host}:${site.port}`] },
  })
  await awake(service)
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const targets: Record<string, () => string[]> = {
  'over HTTP': () => [`${service.url}/mcp`, '--header', `Authorization: Bearer ${operatorKey}`],
  'over stdio': () => [
    ...['--transport', 'stdio', '-e', `SCRAPER_DATA_DIR=${folder}`, '-e', 'SCRAPER_RATE=unlimited'],
    ...['-e', `SCRAPER_ALLOW_PRIVATE=${site.host}:${site.port}`],
    ...[process.execPath, '--', '--disable-warning=ExperimentalWarning', program, 'mcp'],
  ],
}

for (const [way, target] of Object.entries(targets))
  describe(way, () => {
    async function inspect(...args: string[]): Promise<{ code: number; body: Json; stderr: string }> {
      const [where, rest] = way === 'over HTTP' ? [target(), []] : [[], target()]
      const all = [inspector, '--cli', ...where, '--method', ...args, ...rest]
      const env = { PATH: process.env.PATH ?? '', HOME: folder }
      return new Promise(resolve =>
        execFile(process.execPath, all, { cwd: folder, env }, (error, stdout, stderr) =>
          resolve({
            code: error === null ? 0 : Number(error.code),
            body: (stdout.trimStart().startsWith('{') ? JSON.parse(stdout) : {}) as Json,
            stderr,
          }),
        ),
      )
    }

    test('the strict check of the MCP inspector accepts the titles, annotations and schemas of all tools', async () => {
      const { code, body, stderr } = await inspect('tools/list', '--strict')
      assert.equal(code, 0, stderr)
      const tools = body.tools as Json[]
      assert.ok(tools.length >= 7)
      for (const tool of tools)
        for (const field of ['title', 'annotations', 'inputSchema', 'outputSchema'])
          assert.ok(tool[field], `${String(tool.name)} has ${field}`)
    })

    test('the MCP inspector calls a tool and gets structured content; an unknown argument is refused', async () => {
      const call = ['tools/call', '--tool-name', 'scrape', '--tool-arg', `url=${site.url}/oak`]
      const { code, body, stderr } = await inspect(...call)
      assert.equal(code, 0, stderr)
      assert.equal((body.structuredContent as Json).http_status, 200)
      assert.match(JSON.stringify(body.content), /An oak seedling/)
      const refused = await inspect(...call, '--tool-arg', 'wrong=1')
      assert.notEqual(refused.code, 0)
      assert.match(JSON.stringify(refused.body), /Unrecognized key/)
    })

    test('the MCP inspector reads resources and prompts', async () => {
      const jobs = await inspect('resources/read', '--uri', 'kscrape://jobs')
      assert.equal(jobs.code, 0, jobs.stderr)
      assert.match(JSON.stringify(jobs.body), /job_id/)
      const templates = await inspect('resources/templates/list')
      assert.equal((templates.body.resourceTemplates as Json[]).length, 3)
      const prompt = await inspect(
        ...['prompts/get', '--prompt-name', 'crawl_site', '--prompt-args', `url=${site.url}`],
      )
      assert.equal(prompt.code, 0, prompt.stderr)
      assert.match(JSON.stringify(prompt.body.messages), /job_results/)
    })
  })
