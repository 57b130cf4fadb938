// Routes that follow the APIs of other projects: Firecrawl and the Model Context Protocol. Those projects document the
// bodies.

interface ForeignRoute {
  method: 'get' | 'post' | 'delete' | 'patch'
  path: string
  summary: string
  description: string
}

const row = (method: ForeignRoute['method'], path: string, summary: string, description: string) => ({
  ...{ method, path, summary, description },
})

const firecrawl = (version: 1 | 2): ForeignRoute[] =>
  [...both, ...(version === 2 ? onlyV2 : [])].map(route => ({
    ...route,
    path: `/v${version}${route.path}`,
    summary: `${route.summary} (Firecrawl)`,
  }))

const both: ForeignRoute[] = [
  row('post', '/scrape', 'Scrape a page', 'Fetches one page and returns it in the requested formats.'),
  row('get', '/scrape/{id}', 'Show a scrape', 'Returns the document of an earlier scrape by its id.'),
  row(
    ...(['post', '/batch/scrape', 'Scrape several pages'] as const),
    'Starts a job for a list of URLs and returns its id at once.',
  ),
  row(
    'get',
    '/batch/scrape/{id}',
    'Show a batch',
    'Returns the state of a batch and its documents. The documents are paginated.',
  ),
  row('delete', '/batch/scrape/{id}', 'Cancel a batch', 'Cancels the batch. Documents that exist stay.'),
  row(
    ...(['get', '/batch/scrape/{id}/errors', 'List the errors of a batch'] as const),
    'Returns the pages that failed, and the URLs that robots.txt does not allow.',
  ),
  row(
    ...(['post', '/crawl', 'Crawl a site'] as const),
    'Starts a crawl from one URL and returns its id at once.',
  ),
  row(
    'get',
    '/crawl/{id}',
    'Show a crawl',
    'Returns the state of a crawl and its documents. The documents are paginated.',
  ),
  row('delete', '/crawl/{id}', 'Cancel a crawl', 'Cancels the crawl. Documents that exist stay.'),
  row(
    ...(['get', '/crawl/{id}/errors', 'List the errors of a crawl'] as const),
    'Returns the pages that failed, and the URLs that robots.txt does not allow.',
  ),
  row(
    'get',
    '/crawl/active',
    'List running crawls',
    'Returns the crawls of your workspace that have not ended.',
  ),
  row('post', '/map', 'List the URLs of a site', 'Returns the URLs of the sitemaps and links of a site.'),
  row(
    ...(['post', '/search', 'Search your pages, and the web if an engine is set up'] as const),
    'Returns pages that match the words and, if asked for, their documents.',
  ),
  row(
    ...(['post', '/extract', 'Extract fields from several pages'] as const),
    'Starts a job that fills a schema from the pages, and returns its id at once.',
  ),
  row(
    'get',
    '/extract/{id}',
    'Show an extraction',
    'Returns the state of an extraction and, at its end, the data.',
  ),
  row(
    ...(['get', '/concurrency-check', 'Show the concurrency'] as const),
    'Returns how many pages are loaded now, and how many can be.',
  ),
  row(
    ...(['get', '/team/credit-usage', 'Show the credits, which are not limited'] as const),
    'Returns a constant number of credits, because pages cost nothing here.',
  ),
  row(
    ...(['get', '/team/credit-usage/historical', 'Show the pages of each month'] as const),
    'Returns the pages of your workspace by month, as credits.',
  ),
  row(
    ...(['get', '/team/token-usage', 'Show the tokens, which are not limited'] as const),
    'Returns a constant number of tokens; limits of a model are set for each job.',
  ),
  row(
    ...(['get', '/team/token-usage/historical', 'Show the tokens of each month'] as const),
    'Returns the tokens that your workspace spent on a language model, by month.',
  ),
  row(
    ...(['get', '/team/queue-status', 'Show the queue'] as const),
    'Returns how many pages of your workspace are loaded now and how many wait.',
  ),
]

const onlyV2: ForeignRoute[] = [
  row(
    ...(['post', '/parse', 'Turn an uploaded file into a document'] as const),
    'Reads an HTML, PDF, Markdown, text, CSV, JSON or XML file of the request, and returns it in the requested formats.',
  ),
  row(
    ...(['post', '/agent', 'Extract fields that a prompt describes'] as const),
    'Starts a job that collects what the prompt asks for, and returns its id at once.',
  ),
  row('get', '/agent', 'List agents', 'Returns the agents of your workspace, newest first.'),
  row('get', '/agent/{id}', 'Show an agent', 'Returns the state of an agent and, at its end, the data.'),
  row('delete', '/agent/{id}', 'Cancel an agent', 'Cancels the agent. It returns no data.'),
  row(
    ...(['post', '/monitor', 'Create a monitor'] as const),
    'Creates a monitor that checks pages by a schedule and reports changes.',
  ),
  row('get', '/monitor', 'List monitors', 'Returns the monitors of your workspace, with their last checks.'),
  row('get', '/monitor/{id}', 'Show a monitor', 'Returns one monitor with its schedule and its last check.'),
  row('patch', '/monitor/{id}', 'Change a monitor', 'Changes the given fields of a monitor, or pauses it.'),
  row(
    'delete',
    '/monitor/{id}',
    'Delete a monitor',
    'Deletes the monitor and its list of checks. The jobs of the checks stay.',
  ),
  row('post', '/monitor/{id}/run', 'Check now', 'Starts a check of the monitor before its next time.'),
  row(
    ...(['get', '/monitor/{id}/checks', 'List the checks of a monitor'] as const),
    'Returns the checks of a monitor, newest first, with the number of changed pages.',
  ),
]

const inMcp = (summary: string): string => `${summary} (Model Context Protocol)`

const mcp: ForeignRoute[] = [
  row(
    ...(['post', '/mcp', inMcp('Send a message')] as const),
    'Takes a JSON-RPC message of an MCP client and answers with JSON or an event stream.',
  ),
  row(
    ...(['get', '/mcp', inMcp('Open the stream of server messages')] as const),
    'Opens an event stream for messages that do not answer a request, such as progress.',
  ),
  row(
    ...(['delete', '/mcp', inMcp('End the session')] as const),
    'Ends the session that the header `mcp-session-id` names.',
  ),
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
export function foreignPaths(security: unknown[]) {
  const paths: Record<string, Record<string, object>> = {}
  const routes = [
    ...firecrawl(1).map(route => ({ ...route, by: 'firecrawl' as const, tag: 'firecrawl v1' })),
    ...firecrawl(2).map(route => ({ ...route, by: 'firecrawl' as const, tag: 'firecrawl v2' })),
    ...mcp.map(route => ({ ...route, by: 'mcp' as const, tag: 'mcp' })),
  ]
  for (const { method, path, summary, description, by, tag } of routes) {
    paths[path] ??= {}
    paths[path][method] = {
      ...{ tags: [tag], summary, description, security, 'x-defined-by': by },
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
