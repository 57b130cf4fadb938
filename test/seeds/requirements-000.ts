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
    ['Ab', 'one paragraph per choice', 'test/documents.test.ts: docs/stack.md has a reason for each package'],
    [
      'Ac',
      'LLM fallback only if rules fail',
      'test/system/llm.long.test.ts: the model is not called unless the job says so, and a record without its required field is left out',
    ],
    [
      'Ad',
      'OpenSearch for search',
      'test/system/service/opensearch.test.ts: records arrive with their provenance',
    ],
    [
      'Ae',
      'HTTP/2',
      'src/fetch/http/fetch.test.ts: HTTP/2 is used if the server offers it, over one connection',
    ],
    ['Af', 'settings from the environment', 'test/documents.test.ts: .env.example matches the settings'],
    ['B', 'repository layout apps/, crawler_core/, orchestration/, infra/', 'mapping M-000-layout'],
    [
      'Bb',
      'make dev, test, run, lint, format, docker',
      'test/operations/delivery.test.ts: every script named in a workflow, the Dockerfile or the Makefile exists',
    ],
    [
      'C',
      'a static and a JS-heavy page',
      'test/system/rendering.long.test.ts: a mixed site with auto: only pages that need it use the browser, each once, and all results say so',
    ],
    [
      'Cb',
      'docker-compose for a local run',
      'test/operations/images.test.ts: the full set is there: stores, metrics, logs, traces',
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
      'De',
      'backoff with jitter',
      'src/lib/backoff.test.ts: jitter stays within its share, and no wait exceeds the maximum',
    ],
    [
      'Df',
      'robots.txt is cached',
      'test/contracts/redis-cache.test.ts: robots.txt is stored first, and read from the store if the cached copy expired or was evicted',
    ],
    [
      'Dg',
      'raw Parquet while the job runs, over the API and in the bucket',
      'test/system/service/raw-export.test.ts: results.raw: parquet exports pages while the job runs, and has all of them when it ends',
    ],
    [
      'E',
      'rotating proxies with sticky sessions',
      'test/system/proxies.test.ts: a sticky job keeps its proxy, and a session with the same name gets the same proxy in the next job',
    ],
    [
      'Eb',
      'crawl-delay',
      'test/security/politeness.test.ts: a crawl delay applies from the first page on, also for a job without a rate',
    ],
    [
      'Ec',
      'user agent with a contact',
      'test/system/identities.test.ts: no browser is imitated unless a job asks for it',
    ],
    [
      'Ed',
      'randomized headers and TLS of a browser',
      'test/system/identities.test.ts: with browser headers, both fetch modes show the same identity for one session, and another identity for another session',
    ],
    [
      'F',
      'POST /jobs with seed URLs, depth, allowed domains',
      `${jobs}a crawl by seeds, depth and allowed domains runs as documented`,
    ],
    [
      'Fb',
      'API key auth',
      'test/system/service/service-access.test.ts: health, readiness, docs and the API’s description are public, everything else needs a key',
    ],
    [
      'Fc',
      'paginated results',
      `${jobs}results are returned page by page, records and failures each once, with manifest and summary at the end`,
    ],
    [
      'Fd',
      'OpenAPI with examples that work',
      'test/system/service/service-docs.test.ts: the examples of the API are accepted unchanged',
    ],
    [
      'G',
      'a CronJob for periodic seeds',
      'test/system/service/service-schedules.test.ts: the CronJob of the manifests, run twice, creates one job',
    ],
    [
      'Gb',
      'HPA on CPU and memory, workers on queue depth',
      'test/operations/manifests.test.ts: workers scale by runnable work first and by lag second, from zero and to zero',
    ],
    ['H', 'Prometheus metrics', 'test/operations/metrics.test.ts: the metrics match the work'],
    [
      'Hb',
      'JSON logs with request and job ids',
      'test/properties/property-38-log-lines.test.ts: every outcome is logged as one line of JSON with all its fields',
    ],
    [
      'Hc',
      'traces across services',
      'test/operations/traces.long.test.ts: one trace leads from the API call to the webhook, with each span below its parent',
    ],
    [
      'Hd',
      'Grafana dashboards',
      'test/operations/metrics.test.ts: docs/metrics.md and the dashboards match the code',
    ],
    [
      'I',
      'golden files for extractors',
      'test/extraction/golden.test.ts: gives the record and the markdown written down for it',
    ],
    [
      'Ib',
      'a smoke test against a JS site',
      'test/system/rendering.long.test.ts: a mixed site with auto: only pages that need it use the browser, each once, and all results say so',
    ],
    [
      'Ic',
      'a load test',
      'test/operations/load.test.ts: the report counts what the service received, and no job is lost',
    ],
    ['J', 'GitHub Actions', 'test/operations/delivery.test.ts: actionlint finds nothing in the workflows'],
    [
      'Jb',
      'multi-arch images are built and pushed',
      'test/operations/images.test.ts: builds and pushes both images for both architectures, and writes the tag of the commit into staging',
    ],
    [
      'K',
      'domain owner contact flow',
      'test/system/service/service-do-not-crawl.test.ts: a token on the site proves the request, and then no job requests the site',
    ],
    [
      'Kb',
      'PII scrubbing in logs',
      'test/properties/property-39-nothing-secret-logged.test.ts: personal data is masked in text of pages and users',
    ],
    [
      'Kc',
      'secrets in production',
      'test/operations/delivery.test.ts: the sample secrets in Git can be opened with their throw-away key, and show only names without it',
    ],
    [
      'Kd',
      'maximum pages and depth',
      `${jobs}a crawl by seeds, depth and allowed domains runs as documented`,
    ],
    ['L', '300 static and 10 rendered pages per second', 'mapping M-000-speed'],
  ],
)
