// All settings: one strict schema with defaults, environment variables and descriptions.

import * as z from 'zod'
import { logComponents, parseLogLevels } from '../lib/text/log-levels.ts'
import { parseDuration } from '../lib/text/units.ts'
import { parseYaml } from '../lib/text/yaml.ts'
import { grantableConsents } from '../model/conduct.ts'
import { camel, mapKeys } from '../model/letter-case.ts'
import { ceilings } from '../model/policy/policy-ceilings.ts'
import { awsSettings } from './aws-settings.ts'
import { clusterSettings } from './cluster-settings.ts'
import { openSearchSettings } from './opensearch-settings.ts'
import { personalDataSettings } from './personal-data-settings.ts'
import { retentionSettings } from './retention-settings.ts'
import { scrapeSettings } from './scrape-settings.ts'
import { bytes, duration, list, money, onOff, rateText, setting, whole } from './setting-kinds.ts'
import { tracingSettings } from './tracing-settings.ts'
import { webSearchSettings } from './web-search-settings.ts'

/** A partial policy as one line of YAML or JSON, with the field names of a job. */
const ceilingsText = z.preprocess(
  value => mapKeys(typeof value === 'string' ? parseYaml(value) : value, camel),
  ceilings,
)

export const settingsSchema = z.strictObject({
  dataDir: setting(
    'SCRAPER_DATA_DIR',
    'The folder for jobs, records and raw pages.',
    z.string().min(1).default('.kscrape'),
  ),
  userAgent: setting(
    'SCRAPER_USER_AGENT',
    'The user agent. robots.txt rules for its product token (the part before the first slash) apply.',
    z.string().min(1).max(1_000).optional(),
  ),
  contact: setting(
    'SCRAPER_CONTACT',
    'A URL or e-mail address for site owners. It is added to the user agent. Without it, a service with `SCRAPER_PUBLIC_URL` links to its page `/bot`.',
    z.string().max(500).optional(),
  ),
  rate: setting(
    'SCRAPER_RATE',
    'Requests per second to one host, unless a domain policy sets another rate. Like `2/s` or `unlimited`. Default: 1/s.',
    rateText.optional(),
  ),
  obeyRobots: setting(
    'SCRAPER_OBEY_ROBOTS',
    'Whether kscrape obeys robots.txt. A job can override this setting. The conduct receipt of the job records the override.',
    onOff.default(true),
  ),
  domainPolicies: setting(
    'SCRAPER_DOMAIN_POLICIES',
    'A YAML file of domain policies that replaces the built-in one.',
    z.string().optional(),
  ),
  denyHosts: setting(
    'SCRAPER_DENY_HOSTS',
    'Hosts that no job may request (comma-separated; a leading `*.` includes subdomains).',
    list.default([]),
  ),
  allowHosts: setting(
    'SCRAPER_ALLOW_HOSTS',
    'If set, jobs may request only these hosts (same format as `SCRAPER_DENY_HOSTS`, which has precedence).',
    list.default([]),
  ),
  allowPrivate: setting(
    'SCRAPER_ALLOW_PRIVATE',
    'Private addresses that may be fetched, each as an exact `host:port` (comma-separated). All others are refused.',
    list.default([]),
  ),
  caFile: setting(
    'SCRAPER_CA_FILE',
    'A PEM file with certificate authorities to trust in addition to the system’s.',
    z.string().optional(),
  ),
  proxies: setting(
    'SCRAPER_PROXIES',
    'Proxies for fetching (comma-separated): `http://`, `https://` or `socks5://`, with user and password if needed. See docs/proxies.md.',
    list.default([]),
  ),
  proxiesFile: setting(
    'SCRAPER_PROXIES_FILE',
    'A file with more proxies, one per line, or YAML that can also define providers.',
    z.string().min(1).optional(),
  ),
  proxyDns: setting(
    'SCRAPER_PROXY_DNS',
    'Where host names are resolved for requests through proxies: `local` resolves and checks them on this machine, `proxy` lets the proxy resolve them.',
    z.enum(['local', 'proxy']).default('local'),
  ),
  proxyCheckMs: setting(
    'SCRAPER_PROXY_CHECK',
    'How often an unhealthy proxy is checked.',
    duration.default(60_000),
  ),
  brightdataCustomer: setting(
    'SCRAPER_BRIGHTDATA_CUSTOMER',
    'The customer id at Bright Data, for jobs that use its proxies by type.',
    z.string().min(1).max(200).optional(),
  ),
  brightdataZones: setting(
    'SCRAPER_BRIGHTDATA_ZONES',
    'Bright Data zones by type, with passwords: `residential=ZONE:PASSWORD,datacenter=ZONE:PASSWORD`. Types: `datacenter`, `isp`, `residential`, `mobile`, `web-unlocker`.',
    list.default([]),
  ),
  brightdataGateway: setting(
    'SCRAPER_BRIGHTDATA_GATEWAY',
    'The gateway of Bright Data.',
    z.string().min(1).default('http://brd.superproxy.io:33335'),
  ),
  lanes: setting(
    'SCRAPER_LANES',
    'Threads that fetch and extract. 0 uses the main thread. `auto` starts with one thread, and starts more, up to the number of cores, if the threads are busy and cores are free.',
    z.union([z.literal('auto'), whole.min(0).max(64)]).default('auto'),
  ),
  browserPath: setting(
    'SCRAPER_BROWSER_PATH',
    'The path of the browser for pages that need one. Default: the browser of Playwright, else the system’s Chromium or Chrome, else `@sparticuz/chromium`.',
    z.string().min(1).optional(),
  ),
  browserPoolSize: setting(
    'SCRAPER_BROWSER_POOL_SIZE',
    'Maximum number of browser pages that are open at a time; `auto` depends on cores and memory.',
    z.union([z.literal('auto'), whole.min(1).max(256)]).default('auto'),
  ),
  browserSeatsForJobs: setting(
    'SCRAPER_BROWSER_SEATS_FOR_JOBS',
    'The number of browser pages that are reserved for jobs. Clients of `/cdp` and `/playwright` can use only the other pages of the pool. `auto` is a quarter of the pool, and at least one if the pool has two or more.',
    z.union([z.literal('auto'), whole.min(0).max(256)]).default('auto'),
  ),
  browserMaxPages: setting(
    'SCRAPER_BROWSER_MAX_PAGES',
    'Pages after which a browser is replaced.',
    whole.min(1).max(100_000).default(100),
  ),
  browserMaxMemory: setting(
    'SCRAPER_BROWSER_MAX_MEMORY',
    'Memory in bytes at which a browser is replaced; at twice this memory it is killed at once.',
    whole.min(200_000_000).default(1_200_000_000),
  ),
  browserConnectionMs: setting(
    'SCRAPER_BROWSER_CONNECTION_TIME',
    'How long a client of `/cdp` or `/playwright` may keep its browser.',
    duration.default(900_000),
  ),
  browserConnectionBytes: setting(
    'SCRAPER_BROWSER_CONNECTION_BYTES',
    'The maximum number of bytes that the browser of a `/cdp` or `/playwright` client may receive; later requests are refused.',
    bytes.default(500_000_000),
  ),
  browserConnectionPages: setting(
    'SCRAPER_BROWSER_CONNECTION_PAGES',
    'Maximum number of pages that a client of `/cdp` or `/playwright` may have open at a time.',
    whole.min(1).max(1_000).default(20),
  ),
  browserQueueMs: setting(
    'SCRAPER_BROWSER_QUEUE',
    'How long a client of `/cdp` or `/playwright` waits for a free browser page before it gets `503` with `Retry-After`.',
    duration.default(25_000),
  ),
  concurrency: setting(
    'SCRAPER_CONCURRENCY',
    'Maximum number of requests in flight, over all hosts and jobs.',
    whole.min(1).max(10_000).default(32),
  ),
  maxPagesPerJob: setting(
    'SCRAPER_MAX_PAGES_PER_JOB',
    'The highest number of pages of one job, even if the job asks for more. A command whose job reaches the limit exits with code 4.',
    whole.min(1).optional(),
  ),
  ceilings: setting(
    'SCRAPER_CEILINGS',
    'A partial policy that no job may exceed: `{ limits: { bytes: 1000000000 }, retries: { attempts: 5 } }`. A job can only be stricter; an `admin` key may exceed it.',
    ceilingsText.optional(),
  ),
  pricePerGb: setting(
    'SCRAPER_PRICE_PER_GB',
    'The price of a gigabyte of traffic, for `limits.money` and `kscrape plan`, in any currency.',
    money.optional(),
  ),
  pricePerBrowserHour: setting(
    'SCRAPER_PRICE_PER_BROWSER_HOUR',
    'The price of one hour that a page is open in a browser, in the currency of `SCRAPER_PRICE_PER_GB`.',
    money.optional(),
  ),
  leaseMs: setting(
    'SCRAPER_LEASE',
    'How long a worker may hold a task without a heartbeat.',
    duration.default(60_000),
  ),
  sweepMs: setting(
    'SCRAPER_SWEEP',
    'How often the coordinator checks for lost leases, due retries and control requests of other processes.',
    duration.default(1_000),
  ),
  graceMs: setting(
    'SCRAPER_GRACE',
    'How long running tasks may continue after a stop request.',
    duration.default(30_000),
  ),
  ...retentionSettings,
  minFreeBytes: setting(
    'SCRAPER_MIN_FREE_BYTES',
    'Jobs pause if the disk has less free space than this.',
    bytes.default(200_000_000),
  ),
  llmBaseUrl: setting(
    'SCRAPER_LLM_BASE_URL',
    'The endpoint of a language model, like `https://llm.example/v1`: any endpoint with OpenAI’s chat protocol. Only for jobs with `llm`.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  llmApiKey: setting(
    'SCRAPER_LLM_API_KEY',
    'The key for `SCRAPER_LLM_BASE_URL`, if the endpoint needs one. kscrape sends the key only to this endpoint and never stores it.',
    z.string().min(1).max(10_000).optional(),
  ),
  llmModel: setting(
    'SCRAPER_LLM_MODEL',
    'The name of the language model.',
    z.string().min(1).max(200).optional(),
  ),
  secretsFile: setting(
    'SCRAPER_SECRETS_FILE',
    'A file of `NAME=value` lines with secrets for actions (`{{secret.NAME}}`). `SCRAPER_SECRET_NAME` variables override it. Default: `secrets.env` in the data directory.',
    z.string().min(1).optional(),
  ),
  credentialsUrl: setting(
    'SCRAPER_CREDENTIALS_URL',
    'The backend with the credentials of workspaces, like `https://backend.example`. kscrape requests `/api/v1/workspaces/ID/credentials/PROVIDER`. HTTPS only.',
    z.url({ protocol: /^https$/, error: 'an https:// address' }).optional(),
  ),
  credentialsKey: setting(
    'SCRAPER_CREDENTIALS_KEY',
    'The key for `SCRAPER_CREDENTIALS_URL`, sent as `X-Service-Key`. Default: `SCRAPER_SERVICE_KEY`.',
    z.string().min(1).max(1_000).optional(),
  ),
  credentialsTtl: setting(
    'SCRAPER_CREDENTIALS_TTL',
    'How long credentials from the backend are cached.',
    duration.default(300_000),
  ),
  host: setting(
    'SCRAPER_HOST',
    'The address that `kscrape serve` and the roles of `kscrape start` listen on. Any address except loopback needs an API key: `SCRAPER_API_KEY`, or a key from `kscrape keys create`.',
    z.string().min(1).max(255).default('127.0.0.1'),
  ),
  port: setting(
    'SCRAPER_PORT',
    'The port that `kscrape serve` and the role `api` listen on; 0 selects a free port.',
    whole.min(0).max(65_535).default(8001),
  ),
  apiKey: setting(
    'SCRAPER_API_KEY',
    'A key with all scopes in the workspace `default`, in addition to keys from `kscrape keys create`. At least 16 characters.',
    z.string().min(16).max(1_000).optional(),
  ),
  serviceKey: setting(
    'SCRAPER_SERVICE_KEY',
    'Another name for `SCRAPER_API_KEY`; if both are set, both are valid.',
    z.string().min(16).max(1_000).optional(),
  ),
  trust: setting(
    'SCRAPER_TRUST',
    'Whether commands load `kscrape.config.ts`, `scrapers/` and `.env` of the current folder without asking. kscrape reads this variable only from the environment of the process, not from `.env`.',
    onOff.default(false),
  ),
  server: setting(
    'SCRAPER_SERVER',
    'A service that `kscrape URL`, `crawl`, `run`, `jobs` and other commands use instead of the data directory, with the key of `SCRAPER_API_KEY`.',
    z.url({ protocol: /^https?$/, error: 'an address like http://127.0.0.1:8001' }).optional(),
  ),
  publicUrl: setting(
    'SCRAPER_PUBLIC_URL',
    'The public URL of the service, for links in responses. Default: the URL of the request.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  trustProxy: setting(
    'SCRAPER_TRUST_PROXY',
    'Whether `X-Forwarded-*` headers of clients are trusted. Enable it only behind a proxy that sets them.',
    onOff.default(false),
  ),
  openMetrics: setting(
    'SCRAPER_OPEN_METRICS',
    'Whether `/metrics` can be read without a key.',
    onOff.default(false),
  ),
  maxBodyBytes: setting(
    'SCRAPER_MAX_BODY_BYTES',
    'Maximum size of the body of a request with a list of URLs; other requests may have 64 KB, and uploads `SCRAPER_MAX_UPLOAD_BYTES`. If this is above 1 MB, large bodies delay all other requests.',
    bytes.default(1_048_576),
  ),
  maxUploadBytes: setting(
    'SCRAPER_MAX_UPLOAD_BYTES',
    'Maximum size of an uploaded file; 0 means no limit except the disk.',
    bytes.default(10_737_418_240),
  ),
  uploadWindowMs: setting(
    'SCRAPER_UPLOAD_WINDOW',
    'How long the URL of an upload accepts a file.',
    duration.default(3_600_000),
  ),
  bodyTimeoutMs: setting(
    'SCRAPER_BODY_TIMEOUT',
    'How long a client may take to send a request.',
    duration.default(30_000),
  ),
  busyLagMs: setting(
    'SCRAPER_BUSY_LAG',
    'If the event loop lags more than this, the service answers 503 to new requests; `0s` disables it.',
    duration.default(3_000),
  ),
  queueDepth: setting(
    'SCRAPER_QUEUE_DEPTH',
    'The highest number of open tasks of `/api/v1/scrape` in one workspace. Requests for more get 429.',
    whole.min(1).default(500),
  ),
  consents: setting(
    'SCRAPER_CONSENTS',
    'The consents that jobs of a key may use if the key has the scope for the consent (comma-separated). Keys with the scope `admin` may use all consents.',
    list.pipe(z.array(z.enum(grantableConsents))).default([...grantableConsents]),
  ),
  maxRate: setting(
    'SCRAPER_MAX_RATE',
    'The highest rate per host for jobs of the service without an `admin` key. Default: the rate of the host’s policy.',
    rateText.optional(),
  ),
  search: setting(
    'SCRAPER_SEARCH',
    'Whether the service maintains a full-text index of records for `/search`.',
    onOff.default(true),
  ),
  webhookUrl: setting(
    'SCRAPER_WEBHOOK_URL',
    'A URL that the service notifies when one of its jobs ends and the job has no `webhook_url`. Jobs of the command line never use it.',
    z
      .url({ protocol: /^https?$/ })
      .refine(url => !/^https?:\/*[^/?#]*@/i.test(url), 'must not contain a user name or password')
      .optional(),
  ),
  webhookSecret: setting(
    'SCRAPER_WEBHOOK_SECRET',
    'The secret that signs webhooks. To rotate it, set two secrets with a space between them, the new secret first.',
    z.preprocess(
      value => (typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value),
      z.array(z.string().min(1).max(1_000)).max(2).optional(),
    ),
  ),
  smtpUrl: setting(
    'SCRAPER_SMTP_URL',
    'The mail server for e-mails of monitors, like `smtps://user:password@mail.example.com:465`. Without it, monitors send no e-mails.',
    z.url({ protocol: /^smtps?$/ }).optional(),
  ),
  smtpFrom: setting(
    'SCRAPER_SMTP_FROM',
    'The sender of e-mails. Default: `kscrape@` and the host of the mail server.',
    z.string().min(3).max(300).optional(),
  ),
  webhookWaits: setting(
    'SCRAPER_WEBHOOK_WAITS',
    'Waits before each retry of a webhook, comma-separated, like `1m,5m,15m`. Default: 2 s, 4 s, 8 s, 5 m, 1 h, 6 h and a day.',
    z.preprocess(
      value => (typeof value === 'string' ? value.split(',').map(part => parseDuration(part)) : value),
      z.array(z.number().int().min(0)).max(50).optional(),
    ),
  ),
  mcpPagesPerCall: setting(
    'SCRAPER_MCP_PAGES_PER_CALL',
    'The maximum number of pages that one call of an MCP tool may request.',
    whole.min(1).default(100),
  ),
  mcpPagesPerConnection: setting(
    'SCRAPER_MCP_PAGES_PER_CONNECTION',
    'The maximum number of pages that all calls of one MCP connection may request together.',
    whole.min(1).default(1_000),
  ),
  mcpResultChars: setting(
    'SCRAPER_MCP_RESULT_CHARS',
    'The default length of an MCP result in characters. A client gets the rest with `next_cursor`.',
    whole.min(500).max(100_000).default(20_000),
  ),
  logLevel: setting(
    'SCRAPER_LOG_LEVEL',
    `The log level: \`error\`, \`warn\`, \`info\`, \`debug\`, \`silent\`; also by component: \`info,fetch=debug,api=warn\`. Components: ${Object.keys(logComponents).join(', ')}.`,
    z
      .string()
      .superRefine((text, context) => {
        try {
          parseLogLevels(text)
        } catch (error) {
          context.addIssue({ code: 'custom', message: (error as Error).message })
        }
      })
      .default('info'),
  ),
  ...personalDataSettings,
  ...scrapeSettings,
  ...tracingSettings,
  ...clusterSettings,
  ...openSearchSettings,
  ...webSearchSettings,
  ...awsSettings,
  killPoint: setting(
    'KILLPOINT',
    'For fault tests: with `name:n`, the process is killed when it reaches the fault point `name` for the n-th time.',
    z
      .string()
      .regex(/^[a-z_.]+:\d+$/)
      .optional(),
  ),
})
export type Settings = z.output<typeof settingsSchema>
export type SettingsInput = z.input<typeof settingsSchema>

export interface SettingInfo {
  name: keyof Settings
  env: string
  about: string
  fallback: unknown
}

/** Every setting with its variable, description and default, for docs, `kscrape doctor` and error messages. */
export function describeSettings(): SettingInfo[] {
  const defaults = settingsSchema.parse({})
  return Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const { env, about } = (schema as z.ZodType).meta() as { env: string; about: string }
    return { name: name as keyof Settings, env, about, fallback: defaults[name as keyof Settings] }
  })
}
