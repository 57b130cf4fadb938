// Which folder may import which, and which folder may use which package. Changing a table is a design decision.

const foundations = ['model', 'ports', 'lib', 'scraper']
const stages = ['jobs', 'frontier', 'dispatch', 'fetch', 'extract', 'normalize', 'results', 'deliver']

/** For each folder or file of `src/`: what it may import besides itself. A folder without a row fails the check. */
export const mayImport: Record<string, readonly string[]> = {
  model: [],
  ports: ['model'],
  lib: ['model', 'ports'],
  scraper: ['model', 'ports', 'lib'],
  // The settings also have values that belong to stages: policies of hosts, and proxies.
  config: ['model', 'ports', 'lib', 'dispatch', 'fetch'],
  'demo-site': ['model'],
  // A stage imports no other stage. Stages exchange types of model/, and pipeline/ connects them.
  ...Object.fromEntries(stages.map(stage => [stage, foundations])),
  adapters: ['model', 'ports', 'lib'],
  pipeline: [...foundations, ...stages],
  server: ['model', 'lib', 'config', 'pipeline'],
  // Metrics, logs, traces and diagnoses read what all these folders publish.
  observe: [...foundations, 'dispatch', 'fetch', 'normalize', 'results', 'config', 'adapters', 'pipeline'],
  // Backup, retention and erasure work on stored data, even while jobs run.
  maintain: [...foundations, ...stages, 'config', 'adapters', 'pipeline'],
  roles: [
    ...foundations,
    ...stages,
    'config',
    'demo-site',
    'adapters',
    'pipeline',
    'observe',
    'maintain',
    'server',
  ],
  cli: [
    'model',
    'lib',
    'scraper',
    'config',
    'pipeline',
    'observe',
    'maintain',
    'roles',
    'demo-site',
    'client.ts',
  ],
  'index.ts': ['model', 'scraper', 'config', 'pipeline', 'roles'],
  // A client of a service runs anywhere, even in browsers, so it may import only types.
  'client.ts': ['model', 'client'],
  client: ['model'],
  'testing.ts': ['model', 'scraper', 'roles', 'demo-site'],
}

/** Imports that are allowed only for types. */
export const mayImportTypes: Record<string, readonly string[]> = {
  cli: ['ports'],
  server: ['ports'],
  maintain: ['roles'],
  observe: ['roles', 'server'],
  'index.ts': ['ports', 'lib'],
  'testing.ts': ['config'],
}

/** For each package: the folders of `src/` that may import it. Most packages have one folder; comments say why some have more. */
export const mayName: Record<string, readonly string[]> = {
  '@aws-sdk/client-dynamodb': ['adapters/dynamodb'],
  '@aws-sdk/client-s3': ['adapters/s3'],
  '@aws-sdk/client-sqs': ['adapters/sqs'],
  '@aws-sdk/s3-request-presigner': ['adapters/s3'],
  '@exodus/bytes': ['fetch/http'],
  '@fastify/rate-limit': ['server'],
  '@fastify/swagger': ['server'],
  // The server defines the MCP tools, and the command line serves them over stdio.
  '@modelcontextprotocol/sdk': ['server', 'cli'],
  '@opentelemetry/api': ['adapters/otlp'],
  '@opentelemetry/exporter-trace-otlp-http': ['adapters/otlp'],
  '@opentelemetry/resources': ['adapters/otlp'],
  '@opentelemetry/sdk-trace': ['adapters/otlp'],
  commander: ['cli'],
  croner: ['jobs'],
  'css-what': ['extract/document'],
  'csv-parse': ['jobs'],
  // Entities occur in the markup of pages, and in the text of their JSON-LD.
  entities: ['extract', 'normalize'],
  fastify: ['server'],
  'fastify-type-provider-zod': ['server'],
  'fingerprint-generator': ['fetch/browser'],
  'header-generator': ['fetch/http'],
  'html-encoding-sniffer': ['fetch/http'],
  'hyparquet-writer': ['results/exports'],
  impit: ['fetch/http'],
  jschardet: ['fetch/http'],
  nodemailer: ['roles/service'],
  parse5: ['extract/document'],
  'patchright-core': ['fetch/browser'],
  pg: ['adapters/postgres'],
  picocolors: ['cli'],
  pino: ['observe'],
  // The same driver loads pages and performs actions in them.
  'playwright-core': ['fetch/browser', 'fetch/actions'],
  'prom-client': ['observe'],
  re2js: ['extract/document'],
  redis: ['adapters/redis'],
  // Sitemaps, feeds and Excel sheets are XML.
  saxes: ['frontier', 'extract/formats', 'jobs/xlsx'],
  tldts: ['frontier'],
  'tough-cookie': ['fetch/http'],
  undici: ['fetch/http'],
  unpdf: ['extract/formats'],
  ws: ['server'],
  // Users write three kinds of YAML files: settings and policies, rules, and jobs.
  yaml: ['lib/text', 'config', 'extract/rules'],
  // Schemas define the model. `lib` turns schema errors into sentences; built-in scrapers define input and output.
  zod: ['model', 'config', 'lib', 'scraper/builtin', 'server'],
}

/** Built-in modules with restricted use: only one folder opens the store, and only one the network. */
export const mayNameBuiltIn: Record<string, readonly string[]> = {
  // `results` may use SQLite too, because an export may be a SQLite database.
  'node:sqlite': ['adapters/sqlite', 'results/exports'],
  // `results` only uses the names of the status codes.
  'node:http': ['fetch/http', 'fetch/browser', 'demo-site', 'results'],
  'node:net': ['fetch/http', 'fetch/browser', 'fetch/proxies', 'demo-site'],
  'node:dns': ['fetch/http'],
  'node:tls': ['fetch/http', 'fetch/proxies'],
  'node:https': [],
  'node:http2': [],
  'node:dgram': [],
  'node:child_process': ['fetch/browser', 'roles/reader'],
  'node:worker_threads': ['adapters/memory', 'adapters/sqlite', 'extract', 'roles'],
}

/** Folders without I/O: they import no built-in module. */
export const withoutBuiltIns: readonly string[] = ['model', 'ports', 'client', 'client.ts']

/** The only file that reads `process.env`. */
export const environmentReader = 'src/config/load.ts'

/** Packages of the dashboard. They are bundled into it, so they are not dependencies of the published package. */
export const dashboardMayName: readonly string[] = ['preact', 'uplot']

/** Files should have at most 400 lines. A file about one idea may have up to 500, so that it is not split only for its length. */
export const longestFile = 500
