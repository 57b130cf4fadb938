// Who may import whom, and which folder may name which package. Changing a table is a design decision.

const foundations = ['model', 'ports', 'lib', 'scraper']
const stages = ['jobs', 'frontier', 'dispatch', 'fetch', 'extract', 'normalize', 'results', 'deliver']

/** By folder or file of `src/`: what it may import, besides itself. A part without a row fails the check. */
export const mayImport: Record<string, readonly string[]> = {
  model: [],
  ports: ['model'],
  lib: ['model', 'ports'],
  scraper: ['model', 'ports', 'lib'],
  // Settings, and what the stages take from them: hosts' policies, proxies.
  config: ['model', 'ports', 'lib', 'dispatch', 'fetch'],
  'demo-site': ['model'],
  // A stage knows no other stage: what one hands the next is a type in model/, and pipeline/ does the handing.
  ...Object.fromEntries(stages.map(stage => [stage, foundations])),
  adapters: ['model', 'ports', 'lib'],
  pipeline: [...foundations, ...stages],
  server: ['model', 'lib', 'config', 'pipeline'],
  // Metrics, logs, traces and diagnoses: they read what the others publish.
  observe: [...foundations, 'dispatch', 'fetch', 'normalize', 'results', 'config', 'adapters', 'pipeline'],
  // Backup, retention and erasure work on what jobs left behind, beside the jobs that run.
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
  // What asks a service runs anywhere, browsers included: it knows what things are, and nothing else.
  'client.ts': ['model', 'client'],
  client: ['model'],
  'testing.ts': ['model', 'scraper', 'roles', 'demo-site'],
}

/** What may be known of a part as types alone: its shape, not its doing. */
export const mayImportTypes: Record<string, readonly string[]> = {
  cli: ['ports'],
  server: ['ports'],
  maintain: ['roles'],
  observe: ['roles', 'server'],
  'index.ts': ['ports', 'lib'],
  'testing.ts': ['config'],
}

/** By package: the folders of `src/` that may name it. One each, as a rule; the others say why. */
export const mayName: Record<string, readonly string[]> = {
  '@aws-sdk/client-dynamodb': ['adapters/dynamodb'],
  '@aws-sdk/client-s3': ['adapters/s3'],
  '@aws-sdk/client-sqs': ['adapters/sqs'],
  '@aws-sdk/s3-request-presigner': ['adapters/s3'],
  '@exodus/bytes': ['fetch/http'],
  '@fastify/rate-limit': ['server'],
  '@fastify/swagger': ['server'],
  // The tools are the server's; the command line carries them over stdio.
  '@modelcontextprotocol/sdk': ['server', 'cli'],
  '@opentelemetry/api': ['adapters/otlp'],
  '@opentelemetry/exporter-trace-otlp-http': ['adapters/otlp'],
  '@opentelemetry/resources': ['adapters/otlp'],
  '@opentelemetry/sdk-trace': ['adapters/otlp'],
  commander: ['cli'],
  croner: ['jobs'],
  'css-what': ['extract/document'],
  'csv-parse': ['jobs'],
  // Pages hold entities in their markup, and again in the text of their JSON-LD.
  entities: ['extract', 'normalize'],
  fastify: ['server'],
  'fastify-type-provider-zod': ['server'],
  'fingerprint-generator': ['fetch/browser'],
  'header-generator': ['fetch/http'],
  'html-encoding-sniffer': ['fetch/http'],
  'hyparquet-writer': ['results/exports'],
  impit: ['fetch/http'],
  jschardet: ['fetch/http'],
  nodemailer: ['roles'],
  parse5: ['extract/document'],
  'patchright-core': ['fetch/browser'],
  pg: ['adapters/postgres'],
  picocolors: ['cli'],
  pino: ['observe'],
  // The same driver for pages and for what is done in them.
  'playwright-core': ['fetch/browser', 'fetch/actions'],
  'prom-client': ['observe'],
  re2js: ['extract/document'],
  redis: ['adapters/redis'],
  // Sitemaps are links, feeds are records as well.
  saxes: ['frontier', 'extract/formats', 'jobs/xlsx'],
  tldts: ['frontier'],
  'tough-cookie': ['fetch/http'],
  undici: ['fetch/http'],
  unpdf: ['extract/formats'],
  ws: ['server'],
  // Three files that people write: settings and policies, rules, jobs.
  yaml: ['lib/text', 'config', 'extract/rules'],
  // Schemas are what things are. `lib` turns their complaints into sentences; built-in scrapers say what they take and give.
  zod: ['model', 'config', 'lib', 'scraper/builtin', 'server'],
}

/** Built-in modules that not everyone may name: a store has one door, and so has the network. */
export const mayNameBuiltIn: Record<string, readonly string[]> = {
  // The store has one door; an export may be a database of its own.
  'node:sqlite': ['adapters/sqlite', 'results/exports'],
  // `results` only takes the names of the status codes.
  'node:http': ['fetch/http', 'fetch/browser', 'demo-site', 'results'],
  'node:net': ['fetch/http', 'fetch/browser', 'fetch/proxies', 'demo-site'],
  'node:dns': ['fetch/http'],
  'node:tls': ['fetch/http', 'fetch/proxies'],
  'node:https': [],
  'node:http2': [],
  'node:dgram': [],
  'node:child_process': ['fetch/browser', 'roles/reader'],
  'node:worker_threads': ['adapters/memory', 'extract', 'roles'],
}

/** Parts that do no I/O, so they name no built-in module at all. */
export const withoutBuiltIns: readonly string[] = ['model', 'ports', 'client', 'client.ts']

/** The one reader of `process.env`. */
export const environmentReader = 'src/config/load.ts'

/** Packages of the dashboard; they are built into it, so they are no dependencies of what is published. */
export const dashboardMayName: readonly string[] = ['preact', 'uplot']

/** Files aim at 400 lines. One idea that needs more may have up to 500; a file is not split only to stay below. */
export const longestFile = 500
