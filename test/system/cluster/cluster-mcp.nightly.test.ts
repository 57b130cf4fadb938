// Tests that an MCP session continues with any API process of a cluster, even after the process that opened it was killed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type RoleProcess, TestCluster } from '../../support/cluster.ts'

let cluster: TestCluster
let apis: RoleProcess[]
before(async () => {
  cluster = await TestCluster.open({})
  const api = () => cluster.start(['api'], {}, ['--port', '0'])
  const [one, other] = await Promise.all([api(), api(), cluster.start(['coordinator', 'ingest'])])
  apis = [one, other]
})
after(() => cluster?.[Symbol.asyncDispose]())

const urlOf = (api: RoleProcess): string => /"url":"([^"]+)"/.exec(api.output())![1]!

/** A client that sends each request to the process that `where` names at that moment, as with a load balancer. */
async function connected(where: () => string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const balanced: typeof fetch = (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${where()}${pathname}${search}`, init)
  }
  const headers = { authorization: `Bearer ${cluster.env.SCRAPER_API_KEY}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${where()}/mcp`), {
      fetch: balanced,
      requestInit: { headers },
    }),
  )
  return client
}

test('another API process continues an MCP session, even after the first process was killed', async () => {
  const [one, other] = apis as [RoleProcess, RoleProcess]
  const [first, second] = [urlOf(one), urlOf(other)]
  let place = first
  const client = await connected(() => place)
  const tools = async () => (await client.listTools()).tools.length
  const count = await tools()
  assert.ok(count >= 7)
  place = second
  assert.equal(await tools(), count)
  await one.kill('SIGKILL')
  assert.equal(await tools(), count)
  const { contents } = await client.readResource({ uri: 'kscrape://jobs' })
  assert.equal(contents.length, 1)
  place = second
  await client.close()
})
