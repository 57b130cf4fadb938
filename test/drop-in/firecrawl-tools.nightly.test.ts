// Tests third-party programs for Firecrawl, unmodified, with our server as their API: its MCP server, its command line, its tools
// for the AI SDK, and LangChain's loader.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { installedDropIn } from '../support/drop-in.ts'
import { found } from '../support/eventually.ts'
import { FirecrawlApi } from '../support/firecrawl.ts'
import { operatorKey } from '../support/service.ts'

type Json = Record<string, unknown>

let api: FirecrawlApi
let folder: string
let tools: string
before(async () => {
  tools = await installedDropIn('firecrawl-tools-nightly')
  folder = await mkdtemp(join(tmpdir(), 'kscrape-firecrawl-tools-'))
  api = await FirecrawlApi.open()
  api.site.serve(
    '/trees/',
    '<title>Trees</title><h1>Trees</h1><p>About maple trees.</p><a href="/trees/oak">oak</a>',
  )
  api.site.serve(
    '/trees/oak',
    '<title>Oak</title><h1>Oak</h1><p>An oak seedling.</p><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Oak seedling","sku":"OAK-7"}</script>',
  )
  await writeFile(join(folder, 'letter.html'), '<title>Letter</title><h1>A letter</h1><p>Dear reader.</p>')
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const trees = (path = ''): string => `${api.site.url}/trees/${path}`
const schema = { type: 'object', properties: { name: { type: 'string' }, sku: { type: 'string' } } }
const oak = { name: 'Oak seedling', sku: 'OAK-7' }
const environment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  FIRECRAWL_API_URL: api.service.url,
  FIRECRAWL_API_KEY: operatorKey,
})

describe('firecrawl-mcp', () => {
  let client: Client
  before(async () => {
    client = new Client({ name: 'test', version: '1' })
    const args = [join(tools, 'firecrawl-mcp/dist/index.js')]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, env: environment(), stderr: 'ignore' }),
    )
    // The client checks structured results against the schemas of this list.
    await client.listTools()
  })
  after(() => client?.close())

  async function call(name: string, args: Json): Promise<Json> {
    const { content, isError } = await client.callTool({ name: `firecrawl_${name}`, arguments: args })
    const text = (content as Array<{ text: string }>)[0]!.text
    assert.notEqual(isError, true, text)
    return JSON.parse(text) as Json
  }

  test('firecrawl-mcp scrapes a page, with fields of a schema', async () => {
    const { markdown, metadata } = await call('scrape', { url: trees(), formats: ['markdown'] })
    assert.match(String(markdown), /# Trees\n\nAbout maple trees/)
    assert.equal((metadata as Json).statusCode, 200)
    const { json } = await call('scrape', { url: trees('oak'), formats: ['json'], jsonOptions: { schema } })
    assert.deepEqual(json, oak)
  })

  test('firecrawl-mcp maps and crawls a site', async () => {
    const { links } = await call('map', { url: trees(), limit: 5_000 })
    assert.ok((links as Array<{ url: string }>).some(({ url }) => url === trees('oak')))
    const { status, data } = await call('crawl', { url: trees(), limit: 5 })
    assert.equal(status, 'completed')
    assert.deepEqual((data as Array<{ metadata: Json }>).map(({ metadata }) => metadata.title).toSorted(), [
      'Oak',
      'Trees',
    ])
  })

  test('firecrawl-mcp searches with the sources that firecrawl-mcp adds by itself', async () => {
    await call('scrape', { url: trees('oak') })
    const web = await found('the page in the index', async () => {
      const { data } = await call('search', { query: 'oak seedling' })
      const hits = (data as { web: Array<{ url: string }> }).web
      return hits.length > 0 ? hits : undefined
    })
    assert.equal(web[0]!.url, trees('oak'))
  })

  test('firecrawl-mcp lets an agent fill a schema', async () => {
    const { id } = await call('agent', { urls: [trees('oak')], prompt: 'the product', schema })
    const ended = await found('the end of the agent', async () => {
      const state = await call('agent_status', { id })
      return state.status === 'processing' ? undefined : state
    })
    assert.deepEqual([ended.status, ended.data], ['completed', oak])
  })

  test('firecrawl-mcp parses a file', async () => {
    const { data } = await call('parse', { filePath: join(folder, 'letter.html') })
    assert.match(String((data as Json).markdown), /Dear reader/)
  })

  test('firecrawl-mcp creates, lists and deletes a monitor', async () => {
    const body = {
      ...{ name: 'trees', schedule: { cron: '0 6 * * *' } },
      targets: [{ type: 'scrape', urls: [trees()] }],
    }
    const created = (await call('monitor_create', { body })).data as { id: string }
    const list = (await call('monitor_list', {})).data as Array<{ id: string }>
    assert.deepEqual(
      list.map(({ id }) => id),
      [created.id],
    )
    await call('monitor_delete', { id: created.id })
    assert.deepEqual((await call('monitor_list', {})).data, [])
  })

  test('firecrawl-mcp reports a missing feature as an error of the tool', async () => {
    const answer = await client.callTool({
      name: 'firecrawl_interact',
      arguments: { scrapeId: 'unknown', prompt: 'click' },
    })
    assert.equal(answer.isError, true)
    assert.match(JSON.stringify(answer.content), /interact/)
  })
})

describe('firecrawl-cli', () => {
  async function firecrawl(...args: string[]): Promise<string> {
    const program = join(tools, 'firecrawl-cli/dist/index.js')
    const options = { cwd: folder, env: { ...environment(), NO_COLOR: '1' } }
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options)
    return stdout
  }

  test('firecrawl-cli is authenticated by its key', async () => {
    assert.match(await firecrawl('--status'), /Authenticated/)
  })

  test('firecrawl-cli scrapes one page to stdout and several to files', async () => {
    assert.match(await firecrawl('scrape', trees()), /# Trees/)
    await firecrawl('scrape', trees(), trees('oak'))
    const files = (await readdir(join(folder, '.firecrawl'), { recursive: true })).filter(name =>
      name.endsWith('.md'),
    )
    assert.equal(files.length, 2)
    const texts = await Promise.all(files.map(name => readFile(join(folder, '.firecrawl', name), 'utf8')))
    assert.match(texts.join('\n'), /# Oak/)
  })

  test('firecrawl-cli crawls, maps and parses', async () => {
    const crawl = JSON.parse(
      await firecrawl('crawl', trees(), '--limit', '5', '--wait', '--poll-interval', '1'),
    ) as { status: string; data: unknown[] }
    assert.deepEqual([crawl.status, crawl.data.length], ['completed', 2])
    assert.ok((await firecrawl('map', trees(), '--limit', '5000')).split('\n').includes(trees('oak')))
    assert.match(await firecrawl('parse', 'letter.html'), /Dear reader/)
  })

  test('firecrawl-cli searches, and lets an agent fill a schema', async () => {
    await found('the page in the index', async () =>
      (await firecrawl('search', 'oak seedling')).includes(trees('oak')) ? true : undefined,
    )
    const answer = await firecrawl(
      ...['agent', 'the product', '--urls', trees('oak'), '--schema', JSON.stringify(schema)],
      ...['--wait', '--poll-interval', '1', '--json'],
    )
    assert.deepEqual((JSON.parse(answer) as Json).data, oak)
  })
})

interface AiTool {
  execute(args: Json, options: Json): Promise<Json>
}

describe("firecrawl-aisdk, called by the AI SDK's generateText", () => {
  /** Lets a simulated model call a tool through the AI SDK, and returns the result of the tool. */
  async function called(toolName: string, input: Json): Promise<Json> {
    const load = async <Module>(path: string) =>
      (await import(pathToFileURL(join(tools, path)).href)) as Module
    const { FirecrawlTools } = await load<{ FirecrawlTools(options: Json): Record<string, AiTool> }>(
      'firecrawl-aisdk/dist/index.js',
    )
    const { generateText } = await load<{ generateText(options: Json): Promise<Json> }>('ai/dist/index.mjs')
    const { MockLanguageModelV3 } = await load<{ MockLanguageModelV3: new (options: Json) => object }>(
      'ai/dist/test/index.mjs',
    )
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [{ type: 'tool-call', toolCallId: '1', toolName, input: JSON.stringify(input) }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        warnings: [],
      }),
    })
    const given = { apiKey: operatorKey, apiUrl: api.service.url, all: true }
    const { content } = await generateText({ model, prompt: 'go', tools: FirecrawlTools(given) })
    const result = (content as Json[]).find(({ type }) => type === 'tool-result')
    assert.ok(result, JSON.stringify(content))
    return result.output as Json
  }

  test('the AI SDK tools scrape, map, search, crawl and batch scrape', async () => {
    assert.match(String((await called('scrape', { url: trees() })).markdown), /# Trees/)
    const { links } = await called('map', { url: trees(), limit: 5_000 })
    assert.ok((links as Array<{ url: string }>).some(({ url }) => url === trees('oak')))
    const { web } = await called('search', { query: 'oak seedling' })
    assert.equal((web as Array<{ url: string }>)[0]!.url, trees('oak'))
    for (const result of [
      await called('crawl', { url: trees(), limit: 5 }),
      await called('batchScrape', { urls: [trees(), trees('oak')] }),
    ])
      assert.ok(Array.isArray(result.data) ? result.data.length === 2 : typeof result.id === 'string')
  })
})

test("LangChain's loader loads, crawls and maps", async () => {
  const packages = await installedDropIn('langchain-nightly')
  const entry = join(packages, '@langchain/community/dist/document_loaders/web/firecrawl.js')
  interface Loaded {
    pageContent: string
    metadata: Json
  }
  const { FireCrawlLoader } = (await import(pathToFileURL(entry).href)) as {
    FireCrawlLoader: new (options: Json) => { load(): Promise<Loaded[]> }
  }
  const load = (mode: string, params: Json) =>
    new FireCrawlLoader({
      ...{ url: trees(), apiKey: operatorKey, apiUrl: api.service.url, mode, params },
    }).load()
  const [page] = await load('scrape', { formats: ['markdown'] })
  assert.match(page!.pageContent, /# Trees/)
  assert.equal(page!.metadata.statusCode, 200)
  assert.deepEqual((await load('crawl', { limit: 5 })).map(({ metadata }) => metadata.title).toSorted(), [
    'Oak',
    'Trees',
  ])
  const links = (await load('map', { limit: 5_000 })).map(
    ({ pageContent }) => JSON.parse(pageContent) as string,
  )
  assert.ok(links.includes(trees('oak')))
})
