// The settings: one strict schema with every default, its environment variable and what it is for.

import * as z from 'zod'
import { logComponents, parseLogLevels } from '../lib/text/log-levels.ts'
import { parseDuration } from '../lib/text/units.ts'
import { parseYaml } from '../lib/text/yaml.ts'
import { grantableConsents } from '../model/conduct.ts'
import { camel, mapKeys } from '../model/letter-case.ts'
import { ceilings } from '../model/policy/policy-ceilings.ts'
import { clusterSettings } from './cluster-settings.ts'
import { openSearchSettings } from './opensearch-settings.ts'
import { personalDataSettings } from './personal-data-settings.ts'
import { retentionSettings } from './retention-settings.ts'
import { scrapeSettings } from './scrape-settings.ts'
import { bytes, duration, list, money, onOff, rateText, setting, whole } from './setting-kinds.ts'
import { tracingSettings } from './tracing-settings.ts'

/** A part of a policy, written in one line of YAML or JSON, with the names that a job has for it. */
const ceilingsText = z.preprocess(
  value => mapKeys(typeof value === 'string' ? parseYaml(value) : value, camel),
  ceilings,
)

export const settingsSchema = z.strictObject({
  dataDir: setting(
    'SCRAPER_DATA_DIR',
    'Where jobs, records and raw pages are kept.',
    z.string().min(1).default('.kscrape'),
  ),
  userAgent: setting(
    'SCRAPER_USER_AGENT',
    'Who we say we are. Robots.txt is read for its product token (what stands before the first slash).',
    z.string().min(1).max(1_000).optional(),
  ),
  contact: setting(
    'SCRAPER_CONTACT',
    'A URL or e-mail address, put into the user agent, where a site owner can reach you.',
    z.string().max(500).optional(),
  ),
  rate: setting(
    'SCRAPER_RATE',
    'Requests per second to one host where no domain policy says otherwise, like `2/s` or `unlimited`.',
    rateText.optional(),
  ),
  obeyRobots: setting(
    'SCRAPER_OBEY_ROBOTS',
    'Whether robots.txt is obeyed. A job can say otherwise, and that is recorded.',
    onOff.default(true),
  ),
  domainPolicies: setting(
    'SCRAPER_DOMAIN_POLICIES',
    'A YAML file of policies by domain, in place of the built-in one.',
    z.string().optional(),
  ),
  denyHosts: setting(
    'SCRAPER_DENY_HOSTS',
    'Hosts that are never asked, whatever a job says (comma-separated; a leading `*.` takes the subdomains).',
    list.default([]),
  ),
  allowHosts: setting(
    'SCRAPER_ALLOW_HOSTS',
    'Where this names hosts, nothing else is asked, whatever a job says (written as `SCRAPER_DENY_HOSTS`, which wins over it).',
    list.default([]),
  ),
  allowPrivate: setting(
    'SCRAPER_ALLOW_PRIVATE',
    'Private places that may be fetched, each as exact `host:port` (comma-separated). Everything else private is refused.',
    list.default([]),
  ),
  caFile: setting(
    'SCRAPER_CA_FILE',
    'A PEM file with certificate authorities to trust beside the system’s.',
    z.string().optional(),
  ),
  proxies: setting(
    'SCRAPER_PROXIES',
    'Proxies that pages are fetched through (comma-separated): `http://`, `https://` or `socks5://`, with user and password where they want them. See docs/proxies.md.',
    list.default([]),
  ),
  proxiesFile: setting(
    'SCRAPER_PROXIES_FILE',
    'A file of further proxies, a line each, or YAML that also names providers.',
    z.string().min(1).optional(),
  ),
  proxyDns: setting(
    'SCRAPER_PROXY_DNS',
    'Where names of sites are looked up that are fetched through proxies: `local` also judges their addresses here, `proxy` leaves it to the proxy.',
    z.enum(['local', 'proxy']).default('local'),
  ),
  proxyCheckMs: setting(
    'SCRAPER_PROXY_CHECK',
    'How often a proxy that is unhealthy is tried again.',
    duration.default(60_000),
  ),
  brightdataCustomer: setting(
    'SCRAPER_BRIGHTDATA_CUSTOMER',
    'The customer’s id at Bright Data, for jobs that ask for its proxies by type.',
    z.string().min(1).max(200).optional(),
  ),
  brightdataZones: setting(
    'SCRAPER_BRIGHTDATA_ZONES',
    'Zones at Bright Data by type, with their passwords: `residential=ZONE:PASSWORD,datacenter=ZONE:PASSWORD`. Types: `datacenter`, `isp`, `residential`, `mobile`, `web-unlocker`.',
    list.default([]),
  ),
  brightdataGateway: setting(
    'SCRAPER_BRIGHTDATA_GATEWAY',
    'Where Bright Data is reached.',
    z.string().min(1).default('http://brd.superproxy.io:33335'),
  ),
  lanes: setting(
    'SCRAPER_LANES',
    'Threads that fetch and extract. 0 does it all on the main thread; `auto` goes by cores.',
    z.union([z.literal('auto'), whole.min(0).max(64)]).default('auto'),
  ),
  browserPath: setting(
    'SCRAPER_BROWSER_PATH',
    'The browser for pages that need one. Without it Playwright’s own, the system’s Chromium or Chrome, or `@sparticuz/chromium` is used.',
    z.string().min(1).optional(),
  ),
  browserPoolSize: setting(
    'SCRAPER_BROWSER_POOL_SIZE',
    'Pages that are open in browsers at a time; `auto` goes by cores and memory.',
    z.union([z.literal('auto'), whole.min(1).max(256)]).default('auto'),
  ),
  browserMaxPages: setting(
    'SCRAPER_BROWSER_MAX_PAGES',
    'Pages that one browser shows before another takes its place.',
    whole.min(1).max(100_000).default(100),
  ),
  browserMaxMemory: setting(
    'SCRAPER_BROWSER_MAX_MEMORY',
    'Bytes that one browser may take before another takes its place; at twice as many it is ended at once.',
    whole.min(200_000_000).default(1_200_000_000),
  ),
  concurrency: setting(
    'SCRAPER_CONCURRENCY',
    'Requests in flight over all hosts and jobs.',
    whole.min(1).max(10_000).default(32),
  ),
  maxPagesPerJob: setting(
    'SCRAPER_MAX_PAGES_PER_JOB',
    'No job gets more pages than this here, whatever it asks for. A job that it cut short ends with exit code 4.',
    whole.min(1).optional(),
  ),
  ceilings: setting(
    'SCRAPER_CEILINGS',
    'What no job may exceed, as a part of a policy: `{ limits: { bytes: 1000000000 }, retries: { attempts: 5 } }`. A job can only be stricter; an `admin` key may ask for more.',
    ceilingsText.optional(),
  ),
  pricePerGb: setting(
    'SCRAPER_PRICE_PER_GB',
    'What a gigabyte of traffic costs, for `limits.money` and `kscrape plan`; in any currency.',
    money.optional(),
  ),
  pricePerBrowserHour: setting(
    'SCRAPER_PRICE_PER_BROWSER_HOUR',
    'What an hour of a page in a browser costs, in the same currency.',
    money.optional(),
  ),
  leaseMs: setting(
    'SCRAPER_LEASE',
    'How long a task may be held without a sign of life.',
    duration.default(60_000),
  ),
  sweepMs: setting(
    'SCRAPER_SWEEP',
    'How often lost leases, due retries and requests of other processes are looked for.',
    duration.default(1_000),
  ),
  graceMs: setting(
    'SCRAPER_GRACE',
    'How long running tasks may go on after a stop was asked for.',
    duration.default(30_000),
  ),
  ...retentionSettings,
  minFreeBytes: setting(
    'SCRAPER_MIN_FREE_BYTES',
    'Jobs pause when the disk has less than this left.',
    bytes.default(200_000_000),
  ),
  llmBaseUrl: setting(
    'SCRAPER_LLM_BASE_URL',
    'Where a language model is asked, like `https://llm.example/v1`: any endpoint with OpenAI’s chat protocol. Only for jobs with `llm`.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  llmApiKey: setting(
    'SCRAPER_LLM_API_KEY',
    'The key for it, if it wants one. Sent to that address alone, and kept nowhere.',
    z.string().min(1).max(10_000).optional(),
  ),
  llmModel: setting('SCRAPER_LLM_MODEL', 'Which model is asked.', z.string().min(1).max(200).optional()),
  secretsFile: setting(
    'SCRAPER_SECRETS_FILE',
    'A file of `NAME=value` lines with secrets for actions (`{{secret.NAME}}`), beside `SCRAPER_SECRET_NAME` variables, which win. Default: `secrets.env` in the data directory.',
    z.string().min(1).optional(),
  ),
  credentialsUrl: setting(
    'SCRAPER_CREDENTIALS_URL',
    'The backend that knows the credentials of workspaces, like `https://backend.example`; asked as `/api/v1/workspaces/ID/credentials/PROVIDER`. HTTPS only.',
    z.url({ protocol: /^https$/, error: 'an https:// address' }).optional(),
  ),
  credentialsKey: setting(
    'SCRAPER_CREDENTIALS_KEY',
    'What the backend knows us by, sent as `X-Service-Key`. Default: `SCRAPER_SERVICE_KEY`.',
    z.string().min(1).max(1_000).optional(),
  ),
  credentialsTtl: setting(
    'SCRAPER_CREDENTIALS_TTL',
    'How long credentials from the backend are used before it is asked again.',
    duration.default(300_000),
  ),
  host: setting(
    'SCRAPER_HOST',
    'The address that `kscrape serve` listens on. Anything but loopback needs `SCRAPER_API_KEY`.',
    z.string().min(1).max(255).default('127.0.0.1'),
  ),
  port: setting(
    'SCRAPER_PORT',
    'The port that `kscrape serve` listens on; 0 takes any that is free.',
    whole.min(0).max(65_535).default(8001),
  ),
  apiKey: setting(
    'SCRAPER_API_KEY',
    'A key with all rights in the default workspace, beside those made by `kscrape keys create`. At least 16 characters.',
    z.string().min(16).max(1_000).optional(),
  ),
  serviceKey: setting(
    'SCRAPER_SERVICE_KEY',
    'Another name for `SCRAPER_API_KEY`; both hold when both are given.',
    z.string().min(16).max(1_000).optional(),
  ),
  trust: setting(
    'SCRAPER_TRUST',
    'Whether commands load `kscrape.config.ts`, `scrapers/` and `.env` of the current folder without asking. Only the real environment counts, not a file of the folder.',
    onOff.default(false),
  ),
  server: setting(
    'SCRAPER_SERVER',
    'A service that `jobs`, `crawl`, `run` and the like ask in place of the data directory, with the key of `SCRAPER_API_KEY`.',
    z.url({ protocol: /^https?$/, error: 'an address like http://127.0.0.1:8001' }).optional(),
  ),
  publicUrl: setting(
    'SCRAPER_PUBLIC_URL',
    'Where the service is reached from outside, for links in its answers. Without it they are made from the request.',
    z.url({ protocol: /^https?$/ }).optional(),
  ),
  trustProxy: setting(
    'SCRAPER_TRUST_PROXY',
    'Whether `X-Forwarded-*` of whoever connects is believed: only behind a proxy that sets it.',
    onOff.default(false),
  ),
  openMetrics: setting(
    'SCRAPER_OPEN_METRICS',
    'Whether `/metrics` is shown without a key.',
    onOff.default(false),
  ),
  maxBodyBytes: setting(
    'SCRAPER_MAX_BODY_BYTES',
    'Largest body of a request that takes a list of URLs; other requests take 64 KB, uploads far more. Bodies above 1 MB delay everyone else’s requests.',
    bytes.default(1_048_576),
  ),
  maxUploadBytes: setting(
    'SCRAPER_MAX_UPLOAD_BYTES',
    'Largest file that is taken as an upload; 0 for no limit but the disk.',
    bytes.default(10_737_418_240),
  ),
  uploadWindowMs: setting(
    'SCRAPER_UPLOAD_WINDOW',
    'How long the URL of an upload takes a file.',
    duration.default(3_600_000),
  ),
  bodyTimeoutMs: setting(
    'SCRAPER_BODY_TIMEOUT',
    'How long a client may take to send a request.',
    duration.default(30_000),
  ),
  busyLagMs: setting(
    'SCRAPER_BUSY_LAG',
    'A service that is later than this with what it has to do answers 503 to whatever else comes; `0s` never does.',
    duration.default(3_000),
  ),
  queueDepth: setting(
    'SCRAPER_QUEUE_DEPTH',
    'Tasks of `/api/v1/scrape` that may wait, in one workspace, before more are refused with 429.',
    whole.min(1).default(500),
  ),
  consents: setting(
    'SCRAPER_CONSENTS',
    'What keys with the scope for it may switch on in their jobs (comma-separated). Keys with the scope `admin` are not bound by it.',
    list.pipe(z.array(z.enum(grantableConsents))).default([...grantableConsents]),
  ),
  maxRate: setting(
    'SCRAPER_MAX_RATE',
    'The fastest that a job of the service may ask one host without an `admin` key. Default: what hosts are asked without a word from the job.',
    rateText.optional(),
  ),
  search: setting(
    'SCRAPER_SEARCH',
    'Whether `kscrape serve` keeps a full-text index of the records, for `/search`.',
    onOff.default(true),
  ),
  webhookUrl: setting(
    'SCRAPER_WEBHOOK_URL',
    'Told of every job of the service that ends and names no `webhook_url` of its own.',
    z
      .url({ protocol: /^https?$/ })
      .refine(url => !/^https?:\/*[^/?#]*@/i.test(url), 'must hold no user name or password')
      .optional(),
  ),
  webhookSecret: setting(
    'SCRAPER_WEBHOOK_SECRET',
    'What webhooks are signed with; two with a space between them while one takes the place of the other, the new one first.',
    z.preprocess(
      value => (typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : value),
      z.array(z.string().min(1).max(1_000)).max(2).optional(),
    ),
  ),
  webhookWaits: setting(
    'SCRAPER_WEBHOOK_WAITS',
    'Waits before each further try to deliver a webhook, with commas, like `1m,5m,15m`; without it 2 s, 4 s, 8 s, 5 m, 1 h, 6 h and a day.',
    z.preprocess(
      value => (typeof value === 'string' ? value.split(',').map(part => parseDuration(part)) : value),
      z.array(z.number().int().min(0)).max(50).optional(),
    ),
  ),
  mcpPagesPerCall: setting(
    'SCRAPER_MCP_PAGES_PER_CALL',
    'The most pages that one call of an MCP tool may ask for.',
    whole.min(1).default(100),
  ),
  mcpPagesPerConnection: setting(
    'SCRAPER_MCP_PAGES_PER_CONNECTION',
    'The most pages that all calls of one MCP connection may ask for together.',
    whole.min(1).default(1_000),
  ),
  mcpResultChars: setting(
    'SCRAPER_MCP_RESULT_CHARS',
    'How long a result of an MCP tool is where the caller says nothing; the rest is had page by page.',
    whole.min(500).max(100_000).default(20_000),
  ),
  logLevel: setting(
    'SCRAPER_LOG_LEVEL',
    `How much is logged: \`error\`, \`warn\`, \`info\`, \`debug\`, \`silent\`; by component as well: \`info,fetch=debug,api=warn\`. Components: ${Object.keys(logComponents).join(', ')}.`,
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
  killPoint: setting(
    'KILLPOINT',
    'For fault tests: `name:n` makes the process kill itself at the n-th pass of a named point.',
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

/** Every setting with its variable, sentence and default: for docs, `doctor` and error messages. */
export function describeSettings(): SettingInfo[] {
  const defaults = settingsSchema.parse({})
  return Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const { env, about } = (schema as z.ZodType).meta() as { env: string; about: string }
    return { name: name as keyof Settings, env, about, fallback: defaults[name as keyof Settings] }
  })
}
