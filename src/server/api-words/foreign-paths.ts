// Routes that follow the APIs of other projects: Firecrawl and the Model Context Protocol. Those projects document the
// bodies.

interface ForeignRoute {
  method: 'get' | 'post' | 'delete' | 'patch'
  path: string
  summary: string
}

const firecrawl = (version: 1 | 2): ForeignRoute[] => [
  { method: 'post', path: `/v${version}/scrape`, summary: 'Scrape a page (Firecrawl)' },
  { method: 'get', path: `/v${version}/scrape/{id}`, summary: 'Show a scrape (Firecrawl)' },
  { method: 'post', path: `/v${version}/batch/scrape`, summary: 'Scrape several pages (Firecrawl)' },
  { method: 'get', path: `/v${version}/batch/scrape/{id}`, summary: 'Show a batch (Firecrawl)' },
  { method: 'delete', path: `/v${version}/batch/scrape/{id}`, summary: 'Cancel a batch (Firecrawl)' },
  {
    method: 'get',
    path: `/v${version}/batch/scrape/{id}/errors`,
    summary: 'List the errors of a batch (Firecrawl)',
  },
  { method: 'post', path: `/v${version}/crawl`, summary: 'Crawl a site (Firecrawl)' },
  { method: 'get', path: `/v${version}/crawl/{id}`, summary: 'Show a crawl (Firecrawl)' },
  { method: 'delete', path: `/v${version}/crawl/{id}`, summary: 'Cancel a crawl (Firecrawl)' },
  {
    method: 'get',
    path: `/v${version}/crawl/{id}/errors`,
    summary: 'List the errors of a crawl (Firecrawl)',
  },
  { method: 'get', path: `/v${version}/crawl/active`, summary: 'List running crawls (Firecrawl)' },
  { method: 'post', path: `/v${version}/map`, summary: 'List the URLs of a site (Firecrawl)' },
  {
    method: 'post',
    path: `/v${version}/search`,
    summary: 'Search your pages, and the web if an engine is set up (Firecrawl)',
  },
  {
    method: 'post',
    path: `/v${version}/extract`,
    summary: 'Extract fields from several pages (Firecrawl)',
  },
  { method: 'get', path: `/v${version}/extract/{id}`, summary: 'Show an extraction (Firecrawl)' },
  { method: 'get', path: `/v${version}/concurrency-check`, summary: 'Show the concurrency (Firecrawl)' },
  {
    method: 'get',
    path: `/v${version}/team/credit-usage`,
    summary: 'Show the credits, which are not limited (Firecrawl)',
  },
  {
    method: 'get',
    path: `/v${version}/team/credit-usage/historical`,
    summary: 'Show the pages of each month (Firecrawl)',
  },
  {
    method: 'get',
    path: `/v${version}/team/token-usage`,
    summary: 'Show the tokens, which are not limited (Firecrawl)',
  },
  {
    method: 'get',
    path: `/v${version}/team/token-usage/historical`,
    summary: 'Show the tokens of each month (Firecrawl)',
  },
  { method: 'get', path: `/v${version}/team/queue-status`, summary: 'Show the queue (Firecrawl)' },
  ...(version === 2 ? onlyV2 : []),
]

const onlyV2: ForeignRoute[] = [
  { method: 'post', path: '/v2/parse', summary: 'Turn an uploaded file into a document (Firecrawl)' },
  { method: 'post', path: '/v2/agent', summary: 'Extract fields that a prompt describes (Firecrawl)' },
  { method: 'get', path: '/v2/agent', summary: 'List agents (Firecrawl)' },
  { method: 'get', path: '/v2/agent/{id}', summary: 'Show an agent (Firecrawl)' },
  { method: 'delete', path: '/v2/agent/{id}', summary: 'Cancel an agent (Firecrawl)' },
  { method: 'post', path: '/v2/monitor', summary: 'Create a monitor (Firecrawl)' },
  { method: 'get', path: '/v2/monitor', summary: 'List monitors (Firecrawl)' },
  { method: 'get', path: '/v2/monitor/{id}', summary: 'Show a monitor (Firecrawl)' },
  { method: 'patch', path: '/v2/monitor/{id}', summary: 'Change a monitor (Firecrawl)' },
  { method: 'delete', path: '/v2/monitor/{id}', summary: 'Delete a monitor (Firecrawl)' },
  { method: 'post', path: '/v2/monitor/{id}/run', summary: 'Check now (Firecrawl)' },
  { method: 'get', path: '/v2/monitor/{id}/checks', summary: 'List the checks of a monitor (Firecrawl)' },
]

const mcp: ForeignRoute[] = [
  { method: 'post', path: '/mcp', summary: 'Send a message (Model Context Protocol)' },
  { method: 'get', path: '/mcp', summary: 'Open the stream of server messages (Model Context Protocol)' },
  { method: 'delete', path: '/mcp', summary: 'End the session (Model Context Protocol)' },
]

const anyJson = { 'application/json': { schema: { type: 'object', additionalProperties: true } } }

const bodyLike = (example: object) => ({
  'application/json': { ...anyJson['application/json'], example },
})

const bodies = {
  firecrawl: bodyLike({ url: 'https://example.com/' }),
  mcp: bodyLike({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
}

/** The routes as entries of the OpenAPI `paths`, with the tag of their group. */
export function foreignPaths(security: unknown[], tags: { firecrawl: string; mcp: string }) {
  const paths: Record<string, Record<string, object>> = {}
  const routes = [
    ...[...firecrawl(1), ...firecrawl(2)].map(route => ({ ...route, by: 'firecrawl' as const })),
    ...mcp.map(route => ({ ...route, by: 'mcp' as const })),
  ]
  for (const { method, path, summary, by } of routes) {
    paths[path] ??= {}
    paths[path][method] = {
      ...{ tags: [tags[by]], summary, security, 'x-defined-by': by },
      ...(path.includes('{id}') && { parameters: [idParameter] }),
      ...(method === 'post' && { requestBody: { required: true, content: bodies[by] } }),
      responses: {
        200: { description: 'Done.', content: anyJson },
        400: { description: 'The request is invalid.', content: anyJson },
      },
    }
  }
  return paths
}

const idParameter = {
  ...{ name: 'id', in: 'path', required: true, description: 'The id of the job.' },
  schema: { type: 'string', examples: ['shop-1'] },
}
