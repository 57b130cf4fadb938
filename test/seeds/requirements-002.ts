// Seed 002, the scraping microservice: its tasks 1.1 to 16.3.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { requirementsOf } from './requirement.ts'

const properties = readdirSync(join(import.meta.dirname, '../properties'))

/** The test that names this property of the seed's design. */
function property(number: number): string {
  const prefix = `property-${String(number).padStart(2, '0')}-`
  const file = properties.find(name => name.startsWith(prefix)) ?? `${prefix}missing.test.ts`
  return `test/properties/${file}: Property ${number}`
}

const asked = 'test/seeds/seed-002.test.ts'
const rendering = 'test/seeds/seed-002-rendering.long.test.ts'
const workspaces = 'test/seeds/seed-002-workspaces.test.ts'
const api = 'test/system/service/scrape-api.test.ts'
const images = 'test/operations/images.test.ts'
const credentials = 'test/system/service/service-credentials.test.ts'

const sections = [
  ...[
    '1.1',
    '1.2',
    '1.3',
    '1.4',
    '1.5',
    '1.6',
    '1.7',
    '3.1',
    '3.2',
    '3.3',
    '3.4',
    '3.5',
    '3.6',
    '5.1',
    '5.2',
  ],
  ...['6.1', '6.2', '6.3', '6.4', '8.1', '8.2', '8.3', '8.4', '8.5', '8.6', '10.1', '10.2', '10.3', '10.4'],
  ...['10.5', '12.1', '12.2', '12.3', '12.4', '14.1', '14.2', '14.3', '14.4', '14.5', '14.6', '15.1', '15.2'],
  ...['16.1', '16.2', '16.3'],
]

export const seed = requirementsOf('002', sections, [
  ['1.1', 'a Python project with FastAPI, Playwright and Pydantic', 'mapping M-002-stack'],
  [
    '1.2',
    'settings with the prefix SCRAPER_',
    'test/system/cli/config.long.test.ts: a flag wins over the environment, that over the config file',
  ],
  ['1.2b', 'domain policies in YAML, with defaults, linkedin.com and indeed.com', property(23)],
  ['1.3', 'one envelope for all responses', property(1)],
  ['1.3b', 'request models for a scrape, a sync scrape and a batch', property(5)],
  ['1.4', 'output schemas per target type, all fields nullable', property(13)],
  [
    '1.5',
    'an error for each kind of failure, with its status',
    'src/model/error-names.test.ts: is a failure that answers',
  ],
  ['1.6', 'X-Service-Key is needed, else 401', property(4)],
  ['1.6b', 'a UUID for each request, in X-Request-ID', `${asked}: the id of a request is a UUID of ours`],
  ['1.7', 'property 1: envelope', property(1)],
  ['1.7b', 'property 3: request ids', property(3)],
  ['1.7c', 'property 4: service key', property(4)],
  ['1.7d', 'property 5: 422 with field errors', property(5)],
  ['3.1', 'a breaker per domain: 5 failures of 10 open it for 120 s', property(27)],
  ['3.2', 'property 27: opening', property(27)],
  ['3.2b', 'property 28: an open circuit rejects', property(28)],
  ['3.2c', 'property 29: the half-open probe decides', property(29)],
  ['3.3', 'a token bucket per domain', property(22)],
  ['3.3b', 'half the rate after a 429', property(26)],
  ['3.4', 'property 22: rates per domain', property(22)],
  ['3.4b', 'property 26: adaptive rate', property(26)],
  ['3.5', 'allowed hours', property(24)],
  ['3.5b', 'robots.txt is fetched, cached and obeyed', property(25)],
  ['3.6', 'property 23: policies survive a round trip', property(23)],
  ['3.6b', 'property 24: hours', property(24)],
  ['3.6c', 'property 25: robots.txt', property(25)],
  ['5.1', 'proxies in turn, without the unhealthy ones', property(18)],
  ['5.1b', '30 s of rest per domain', property(20)],
  ['5.1c', 'health checks bring proxies back', property(19)],
  [
    '5.1d',
    'NoHealthyProxiesError when none is healthy',
    `${api}: a caller that waits for a task that must wait itself (`,
  ],
  ['5.2', 'property 18: round robin', property(18)],
  ['5.2b', 'property 19: a failed proxy is unhealthy', property(19)],
  ['5.2c', 'property 20: rest', property(20)],
  ['5.2d', 'property 21: counts', property(21)],
  ['6.1', 'random fingerprints within valid ranges, consistent with the proxy region', property(15)],
  [
    '6.1b',
    'no trace of navigator.webdriver',
    'test/seeds/seed-004.long.test.ts: none says that it is driven',
  ],
  ['6.1c', 'pauses of 500 ms to 2000 ms between actions', property(17)],
  ['6.1d', 'fingerprints and pauses are off until the operator switches them on', 'mapping M-002-identity'],
  ['6.2', 'property 14: ranges', property(14)],
  ['6.2b', 'property 15: region', property(15)],
  ['6.2c', 'property 16: rotation', property(16)],
  ['6.2d', 'property 17: delays', property(17)],
  [
    '6.3',
    'a browser within 10 s, or PoolExhaustedError',
    'src/fetch/browser/pool/pool.test.ts: a full pool fails after the wait limit',
  ],
  [
    '6.3b',
    'no cookies or storage are left for the next task',
    'src/fetch/browser/pool/pool.test.ts: with isolation by task nothing is reused',
  ],
  [
    '6.3c',
    'a crashed browser is replaced',
    'src/fetch/browser/pool/pool.test.ts: a browser that disappears frees its seats, and the next page gets another browser',
  ],
  ['6.3d', 'browsers start with --no-sandbox at startup', 'mapping M-002-browsers'],
  ['6.4', 'property 12: recycling', property(12)],
  [
    '8.1',
    'extractors by type, in a registry',
    'src/scraper/define-scraper.test.ts: the registry knows the built-in scrapers',
  ],
  [
    '8.1b',
    'the plain form returns what a browser shows',
    `${rendering}: an application that fills its page by script`,
  ],
  [
    '8.2',
    'linkedin_profile waits and scrolls for lazy sections',
    `${rendering}: linkedin_profile renders and scrolls`,
  ],
  ['8.3', 'company_website: missing fields are null', `${asked}: with null in each field`],
  ['8.4', 'job_posting: missing fields are null', `${asked}: with null in each field`],
  ['8.4b', 'a page of another kind is no record', `${asked}: a page that clearly is of another kind fails`],
  ['8.5', 'text without markup and outer white space', property(31)],
  ['8.5b', 'https URLs without tracking parameters', property(33)],
  ['8.5c', 'locations in parts', property(34)],
  ['8.5d', 'valid fields only, where a record does not fit', property(32)],
  ['8.6', 'property 13: null for missing fields', property(13)],
  ['8.6b', 'property 31: valid schema', property(31)],
  ['8.6c', 'property 32: partial record', property(32)],
  ['8.6d', 'property 33: URLs', property(33)],
  ['8.6e', 'property 34: locations', property(34)],
  ['8.6f', 'property 35: round trip', property(35)],
  [
    '10.1',
    'navigation 30 s, task 60 s',
    `${api}: a scrape that takes too long is answered with 504 and cancelled`,
  ],
  [
    '10.1b',
    'credentials for authenticated targets',
    `${credentials}: a scraper gets the workspace’s credential for its provider, requested once, and it is stored nowhere`,
  ],
  [
    '10.1c',
    'plain and rendered targets in one batch',
    `${rendering}: one batch mixes plain and rendered targets`,
  ],
  [
    '10.2',
    'at most 500 tasks wait, else QueueFullError',
    `${api}: above the queue limit scrapes are refused with 429, also when they arrive together`,
  ],
  ['10.2b', 'smaller jobs first, single tasks before all', property(36)],
  ['10.2c', 'the queue is in memory', 'mapping M-002-state'],
  ['10.3', 'property 36: order', property(36)],
  ['10.3b', 'property 37: queue figures', property(37)],
  ['10.4', 'a batch is a job with as many tasks', property(8)],
  ['10.4b', 'a webhook when the job ends', property(43)],
  ['10.5', 'property 8: task count', property(8)],
  ['10.5b', 'property 9: status of a job', property(9)],
  ['10.5c', 'property 10: results', property(10)],
  ['10.5d', 'property 11: cancelling', property(11)],
  [
    '12.1',
    'credentials from GET /api/v1/workspaces/:id/credentials/:provider',
    `${credentials}: a scraper gets the workspace’s credential for its provider, requested once, and it is stored nowhere`,
  ],
  [
    '12.1b',
    'HTTPS only; values are never logged',
    `${credentials}: a backend with an untrusted certificate gets no key`,
  ],
  ['12.1c', 'CredentialNotFoundError', `${api}: a missing credential is 424`],
  [
    '12.1d',
    'workspace_id in a body, with one service key',
    `${workspaces}: a key for all workspaces acts for the one that the body names`,
  ],
  ['12.2', 'property 30: credential cache', property(30)],
  ['12.3', 'signed with HMAC-SHA256', property(40)],
  ['12.3b', '3 retries after 2, 4 and 8 s', 'mapping M-002-webhook-retries'],
  ['12.4', 'property 40: signature', property(40)],
  ['12.4b', 'property 41: payload', property(41)],
  ['12.4c', 'property 42: callback_url', property(42)],
  ['12.4d', 'property 43: every ending', property(43)],
  [
    '14.1',
    '/health shows the browser pool',
    `${asked}: /health shows the browser pool before any page was rendered`,
  ],
  ['14.1b', '/readiness: a browser and a healthy proxy', property(2)],
  ['14.1c', 'readiness of a cluster', 'mapping M-002-readiness'],
  ['14.1d', '/metrics as JSON', 'mapping M-002-metrics'],
  [
    '14.1e',
    'probes ignore unknown query parameters',
    `${asked}: probes and metrics ignore what is added to their URL`,
  ],
  ['14.2', 'property 2: readiness', property(2)],
  [
    '14.3',
    'POST /scrape, POST /scrape/sync, GET /scrape/:taskId',
    `${api}: a synchronous scrape answers with its record, and its result can be read later`,
  ],
  ['14.4', 'property 6: accepted', property(6)],
  ['14.4b', 'property 7: task status', property(7)],
  ['14.5', 'batches of at most 100', property(8)],
  [
    '14.5b',
    'cancel without a body',
    `${asked}: a job is cancelled by a POST with a JSON content type and no body`,
  ],
  ['14.6', 'a stop drains within 30 s', `${asked}: a stop lets a sync call finish`],
  ['15.1', 'JSON logs with request id, level and time', property(38)],
  ['15.1b', 'no credentials and no personal data in logs', property(39)],
  [
    '15.1c',
    'personal data in results is the caller’s: kept unless the operator or the job says otherwise',
    'test/seeds/seed-002-personal-data.test.ts: values are kept where nobody asked for less',
  ],
  ['15.2', 'property 38: log lines', property(38)],
  ['15.2b', 'property 39: nothing secret', property(39)],
  [
    '16.1',
    'a health check, and a stop that is heard',
    `${images}: runs without privileges, with an init process, a health check and a stop signal`,
  ],
  ['16.1b', 'python:3.11-slim with Playwright’s Chromium', 'mapping M-002-stack'],
  [
    '16.2',
    'port 8001, 2 cores, 4 GB',
    `${images}: one process listens on port 8001, with two cores and four gigabytes`,
  ],
  ['16.3', 'shared fixtures in tests/conftest.py', 'mapping M-002-stack'],
])
