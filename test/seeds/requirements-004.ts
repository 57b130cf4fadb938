// Seed 004, the stealth fetch service.
import { requirementsOf } from './requirement.ts'

const asked = 'test/seeds/seed-004.long.test.ts'
const service = 'test/system/service/service-fetch.long.test.ts'
const spec = 'src/server/api/fetch/spec.test.ts'

/** Architecture, models, the three phases, risks, specifications. */
const sections = ['1', '2', '3', '4', '5', '6', '7']

export const seed = requirementsOf('004', sections, [
  [
    '1',
    'POST /fetch/start and GET /fetch/status/{job_id}',
    `${service}: links are rendered, each has its result in its position, and failures are named`,
  ],
  ['1b', 'an in-memory job store', 'mapping M-004-state'],
  [
    '1c',
    'a semaphore for concurrency_limit',
    `${service}: no more pages are open at a time than the limit allows`,
  ],
  [
    '1d',
    'a stealth browser, with resources freed after each link',
    `${service}: no state of one link is visible to the next`,
  ],
  ['1e', 'FastAPI, Pydantic, structlog', 'mapping M-004-stack'],
  ['2', 'FetchRequest: links and options', `${spec}: every link is an item, in the stealth browser`],
  [
    '2b',
    'FetchOptions: proxies, wait_min, wait_max, concurrency_limit',
    `${spec}: proxies are accepted in the usual notations`,
  ],
  [
    '2c',
    'FetchResult: url, status, html_content, error_message',
    `${service}: links are rendered, each has its result in its position, and failures are named`,
  ],
  ['3', 'wait_min and wait_max', `${service}: a page rests after loading, for a time between the two limits`],
  ['3b', 'headless is forced', `${spec}: headless cannot be chosen, in either place`],
  ['3c', 'a proxy at random for each link', `${spec}: proxies are accepted in the usual notations`],
  [
    '3d',
    'links of one job look like different visitors',
    `${asked}: links of one job without proxies have different fingerprints`,
  ],
  ['3e', 'bypass of anti-bot measures', `${asked}: BotD detects no bot`],
  [
    '3f',
    'a browser’s headers',
    `${asked}: navigations and fetch() send the headers of an undriven Chromium, in its order`,
  ],
  ['4', 'jobs survive restarts; Redis', 'mapping M-004-state'],
  ['4b', 'GET /jobs', `${service}: a job is cancelled, and its links say so`],
  [
    '4c',
    'webhook_url',
    `${service}: the webhook equals the status: pages, failures and skipped links, in order`,
  ],
  [
    '4d',
    'errors by category',
    `${service}: links are rendered, each has its result in its position, and failures are named`,
  ],
  ['5', 'API keys', `${service}: a key without the stealth scope is refused, with a message about this API`],
  [
    '5b',
    'Prometheus metrics',
    'test/system/service/service-watching.test.ts: metrics show what tasks wait for, and that none of them could run',
  ],
  ['5c', 'POST /fetch/cancel/{job_id}', `${service}: a job is cancelled, and its links say so`],
  ['6', 'at most 20 pages at a time', `${spec}: at most 20 pages are open at a time`],
  [
    '7',
    'interactive documentation at /docs',
    'test/system/service/service-docs.test.ts: the description of the API is valid OpenAPI',
  ],
  ['7b', 'Python 3.13, type hints, PEP 8', 'mapping M-004-stack'],
  ['7c', 'stealth needs the operator’s or the key’s consent', 'mapping M-004-consent'],
])
