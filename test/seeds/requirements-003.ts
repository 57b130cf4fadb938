// Seed 003, the worker system.
import { requirementsOf } from './requirement.ts'

const sqs = 'test/system/service/sqs.test.ts: '
const dynamodb = 'test/system/service/dynamodb.test.ts: '
const breaker = 'src/dispatch/job-breaker.test.ts: '
const manifests = 'src/results/manifests.test.ts: '
const scrapers = 'test/system/scrapers.test.ts: '
const actions = 'test/system/actions.long.test.ts: '
const jobs = 'test/system/service/service-jobs.test.ts: '
const demo = 'test/seeds/seed-003-demo.test.ts: '

export const seed = requirementsOf(
  '003',
  [
    ...[
      '1.1',
      '1.2',
      '2.1',
      '2.2',
      '2.3',
      '3.1',
      '3.2',
      '4.1',
      '4.2',
      '5.1',
      '5.2',
      '6.1',
      '6.2',
      '6.3',
      '6.4',
    ],
    ...['7.1', '7.2', '8.1', '8.2', '9.1', '9.2', '10.1', '10.2', '11.1', '11.2', '12.1', '12.2'],
  ],
  [
    ['1.1', 'a Python worker loop in src/worker/main.py', 'mapping M-003-stack'],
    [
      '1.1a',
      'SQS messages job_id, item_id, scraper_id, input',
      `${sqs}messages become the items of a job without duplicates; the job ends when no more arrive, and a later message reopens it`,
    ],
    ['1.1b', 'dequeue, process, delete', 'mapping M-003-sqs'],
    [
      '1.1c',
      'a worker that dies loses no message',
      `${sqs}an intake that is killed between commit and delete creates no second task, and loses nothing`,
    ],
    [
      '1.1d',
      'messages that cannot be processed',
      `${sqs}a message that cannot become a task goes to the dead-letter queue with the reason, and blocks nothing`,
    ],
    [
      '1.1e',
      'graceful shutdown on SIGTERM and SIGINT',
      'test/system/service/service-lifetime.test.ts: a service that stops releases its work, and the next one continues it',
    ],
    [
      '1.1f',
      'SQS, DynamoDB, workers and S3 together, as the architecture draws them',
      'test/system/cluster/cluster-sqs.long.test.ts: an item goes from SQS through the cluster to DynamoDB and S3',
    ],
    [
      '1.2',
      'scrapers are selected and called',
      `${scrapers}a job of items runs example-http against the echo route`,
    ],
    [
      '2.1',
      'backoff 1 s, 2 s, 4 s, 8 s, at most 60 s',
      'src/lib/backoff.test.ts: waits double from one second by default',
    ],
    [
      '2.1b',
      'input validation',
      `${scrapers}items that do not fit the scraper’s schema are refused with the job, by position and field`,
    ],
    [
      '2.1c',
      'clients use the proxies of the policy',
      'test/system/proxies.test.ts: healthy proxies rotate, robots.txt uses one too, and every attempt names its proxy',
    ],
    [
      '2.1d',
      'connections are kept and closed',
      'src/fetch/http/fetch.test.ts: connections are kept alive and reused',
    ],
    [
      '2.1e',
      'jitter and a cap',
      'src/lib/backoff.test.ts: jitter stays within its share, and no wait exceeds the maximum',
    ],
    [
      '2.2',
      'non-retryable errors end the task at once',
      `${dynamodb}items are stored in DynamoDB with status, attempts, errors and storage keys, and the job with its failure metrics`,
    ],
    [
      '2.2b',
      'HTTP status codes map to error types',
      'src/fetch/http/status.test.ts: each status has one meaning',
    ],
    [
      '2.2c',
      'structured logging through the life of a task',
      'test/properties/property-38-log-lines.test.ts: stdout of a service has only JSON lines',
    ],
    ['2.3', 'an example HTTP scraper against httpbin.org', 'mapping M-003-httpbin'],
    [
      '3.1',
      'S3 keys {job_id}/items/{item_id}/…, HTML gzipped above 1 KB',
      'test/contracts/s3-seed-keys.test.ts: an item stands at the keys of the seed, compressed above 1 KB, and is read back',
    ],
    [
      '3.1b',
      'local file storage',
      'src/results/items.test.ts: an item has its page, data, metadata and manifest under its own name',
    ],
    ['3.1c', 'USE_LOCAL_STORAGE switches between S3 and files', 'mapping M-003-local'],
    [
      '3.1d',
      'per-item manifests while the job runs',
      'src/results/items.test.ts: an item has its page, data, metadata and manifest under its own name',
    ],
    [
      '3.1e',
      'a screenshot beside the item',
      'test/system/rendering.long.test.ts: with a folder for each item, the folder holds its screenshot',
    ],
    [
      '3.2',
      'job item status, retries, errors and storage keys in DynamoDB',
      `${dynamodb}items are stored in DynamoDB with status, attempts, errors and storage keys, and the job with its failure metrics`,
    ],
    ['3.2b', 'DynamoDB is the state of the system', 'mapping M-003-dynamodb'],
    [
      '3.2c',
      'no update is lost',
      `${dynamodb}a service that is killed between sending and acknowledging sends the items again, and none is lost`,
    ],
    ['3.2d', 'conditional writes', `${dynamodb}an older version never replaces a newer one`],
    [
      '3.2e',
      'retries wait while DynamoDB is away',
      `${dynamodb}while the table is missing, changes wait in the store`,
    ],
    [
      '4.1',
      'a registry with id, name, version, description',
      'test/extraction/builtin-scrapers.test.ts: every built-in scraper has a name, a version and a description',
    ],
    ['4.1b', 'decorator-based registration', 'mapping M-003-registry'],
    ['4.2', 'example-mock and example-http', `${scrapers}example-mock makes records from its input alone`],
    [
      '4.1c',
      'the job names its scraper by scraper_id',
      `${jobs}a job of rows for a scraper runs in the old format`,
    ],
    [
      '4.2b',
      'a template for scrapers',
      'src/roles/scrapers/new-scraper.test.ts: all files are written with the name in them, the scraper first',
    ],
    [
      '4.2c',
      'a README in the scrapers directory',
      'src/roles/scrapers/new-scraper.test.ts: the README of a folder is written once',
    ],
    ['5.1', 'maricopa-az: parcel lookup, then tax statement', `${scrapers}parcels become taxes in two steps`],
    [
      '5.2',
      'a validate hook fails a wrong page',
      `${scrapers}a user’s scraper: the job shows its policy, the job’s own policy wins, and its check can fail a page`,
    ],
    [
      '5.2b',
      'parse_html, select_one, extract_text',
      'src/pipeline/work/page-view.test.ts: text is normalized, blocks are separated, and missing values are null',
    ],
    [
      '5.2c',
      'assert_html_contains',
      'src/pipeline/work/page-view.test.ts: a missing element is an error that names the selector',
    ],
    [
      '5.2d',
      'assert_fields_present',
      'src/pipeline/work/page-view.test.ts: require names every missing field, and returns the rest as non-null',
    ],
    [
      '6.1',
      'warnings for unsupported geo-targeting',
      `${demo}the CLI warns when a proxy type cannot honour a location`,
    ],
    [
      '6.1b',
      'proxies of the policy are used',
      'test/system/proxies.test.ts: healthy proxies rotate, robots.txt uses one too, and every attempt names its proxy',
    ],
    [
      '6.1c',
      'BrightData datacenter proxies by country only',
      'src/fetch/proxies/providers.test.ts: a datacenter proxy is selected by country only, and other options give a warning',
    ],
    [
      '6.1d',
      'BrightData residential proxies by country, state and city',
      'src/fetch/proxies/providers.test.ts: a residential proxy of Bright Data is selected by country, state and city',
    ],
    [
      '6.1e',
      'the web unlocker',
      'src/fetch/proxies/providers.test.ts: the web unlocker manages sessions itself, and uses its own certificates',
    ],
    ['6.2', 'linear and exponential backoff', 'src/lib/backoff.test.ts: linear waits grow by the same step'],
    [
      '6.3',
      'a token bucket per job',
      'test/properties/property-22-token-bucket.test.ts: Property 22: a job keeps its own rate over all its domains',
    ],
    [
      '6.3b',
      'batches of ten and the status flow pending, queued, in_progress',
      `${sqs}messages become the items of a job without duplicates; the job ends when no more arrive, and a later message reopens it`,
    ],
    ['6.4', '20 consecutive failures', `${breaker}twenty failures in a row pause the job, nineteen do not`],
    [
      '6.4b',
      '50 % of failures',
      `${breaker}half of the last hundred pause the job, checked from the twentieth on`,
    ],
    [
      '6.4c',
      'half-open after the cooldown',
      `${breaker}after the rest a few probes run, and their success resumes the job`,
    ],
    ['6.4d', 'get_job_failure_metrics()', `${dynamodb}and the job with its failure metrics`],
    [
      '6.4e',
      'the job is paused while the circuit is open',
      'src/pipeline/coordinate/job-control.test.ts: a tripped breaker pauses the job for its cool-down, then the job continues',
    ],
    [
      '7.1',
      'chunked manifests full, success, errors',
      `${manifests}items are listed in parts of a thousand: all, succeeded, and failed`,
    ],
    [
      '7.1b',
      'manifests when a job is complete, then the status',
      'src/pipeline/coordinate/finish-job.test.ts: every job has its manifests before its state says that it ended, also a job of one task',
    ],
    [
      '7.1c',
      'manifests on a cluster, in the bucket',
      'test/system/cluster/cluster-crawl.long.test.ts: a crawl of a site goes through coordinator, worker and processor, each page once',
    ],
    [
      '7.1d',
      'duration from first to last attempt',
      `${manifests}the duration runs from the first attempt to the last`,
    ],
    [
      '7.1e',
      'a retry leaves no stale part',
      `${manifests}after a retry with fewer errors, no stale part is left`,
    ],
    [
      '7.1f',
      '100,000 items in bounded memory',
      `${manifests}100,000 items are written in a hundred parts, a thousand at a time`,
    ],
    [
      '7.2',
      'results by status and part, with metadata',
      `${jobs}results are returned page by page, records and failures each once, with manifest and summary at the end`,
    ],
    [
      '7.2b',
      'download of artifacts',
      `${jobs}a page is served as a file that no browser executes, in both layouts`,
    ],
    [
      '7.2c',
      'a part before the end is refused',
      `${jobs}the part of a running job is refused, and its status says what it waits for`,
    ],
    [
      '7.2d',
      'filter by status',
      `${jobs}streams can be filtered by status too, and refuse options that a stream lacks`,
    ],
    [
      '8.1',
      'screenshots',
      'test/system/rendering.long.test.ts: one page with a screenshot, a PDF and an evaluated value',
    ],
    [
      '8.1b',
      'browsers are recycled and counted',
      'test/properties/browser-properties.long.test.ts: Property 12: a browser is recycled after its number of pages',
    ],
    ['8.1c', 'anti-detection', 'test/seeds/seed-004.long.test.ts: BotD detects no bot'],
    ['8.2', 'form interaction', `${actions}a form is filled in and sent like a person would`],
    [
      '8.2b',
      'waiting for dynamic content',
      'src/pipeline/work/page-view.test.ts: late content is awaited in an open page, and the new view contains it',
    ],
    [
      '8.2c',
      'cookies and sessions persist',
      'test/system/rendering.long.test.ts: a named session continues from the last run; without a name every run starts fresh',
    ],
    ['8.2d', 'file downloads', `${actions}files are uploaded with their content and downloaded unchanged`],
    [
      '8.2e',
      'mobile emulation',
      'test/properties/property-14-fingerprint-ranges.test.ts: Property 14: a device has its own window, touch and a mobile user agent',
    ],
    [
      '9.1',
      'recordings run as actions',
      `${actions}selectors look into open shadow roots, by path and by plain selectors`,
    ],
    [
      '9.1b',
      'Chrome recordings become actions',
      'src/jobs/recording-actions.test.ts: our own actions are custom steps, in the syntax of a job',
    ],
    [
      '9.1c',
      'waiting for elements',
      `${actions}waiting for elements checks their count and their properties`,
    ],
    [
      '9.1d',
      'a step that fails is named',
      `${actions}a failed step is reported with its number, its position and the page`,
    ],
    [
      '9.2',
      'pagination and control flow',
      `${actions}a paginated list is read to its end, and not past the limit`,
    ],
    ['9.2b', 'conditions', `${actions}when and try choose the steps to run`],
    ['9.2c', 'extraction and screenshots', `${actions}screenshots and PDFs of steps are numbered artifacts`],
    ['9.2d', 'navigation', `${actions}a navigation to an unexpected URL fails with both URLs`],
    [
      '10.1',
      'auto-scaling triggers',
      'test/operations/terraform.test.ts: names only variables, locals, resources and sources that exist',
    ],
    [
      '10.1b',
      'HTTP/2',
      'src/fetch/http/fetch.test.ts: HTTP/2 is used if the server offers it, over one connection',
    ],
    [
      '10.1c',
      'memory stays bounded',
      'src/jobs/read-rows.test.ts: rows are not collected in memory until the end of a file',
    ],
    [
      '10.1d',
      'the same page is not fetched twice',
      'src/server/api/firecrawl/metadata.test.ts: a reused response is a cache hit with its time',
    ],
    ['10.2', 'metrics', 'test/operations/metrics.test.ts: the metrics match the work'],
    [
      '10.2b',
      'distributed tracing',
      'test/operations/traces.long.test.ts: one trace leads from the API call to the webhook, with each span below its parent',
    ],
    [
      '10.2c',
      'dashboards, in Grafana instead of CloudWatch',
      'test/operations/metrics.test.ts: docs/metrics.md and the dashboards match the code',
    ],
    [
      '10.2d',
      'alerts',
      'test/operations/metrics.test.ts: every alert is tested, and has a runbook with the required sections',
    ],
    [
      '11.1',
      'load testing',
      'test/operations/load.test.ts: the report counts what the service received, and no job is lost',
    ],
    [
      '11.1b',
      'integration tests with mock websites',
      'test/system/crawl.test.ts: a crawl gives one record per page, and none for pages that robots.txt disallows',
    ],
    [
      '11.1c',
      'chaos tests',
      'test/chaos/stopping.nightly.test.ts: tasks that a worker aborts at the end of its grace period return to pending, even if all other processes stop too',
    ],
    [
      '11.2',
      'scraper certification',
      'test/extraction/builtin-scrapers.test.ts: has golden pages, and passes the documented checks',
    ],
    [
      '11.2b',
      'security of credentials',
      'test/properties/property-39-nothing-secret-logged.test.ts: personal data is masked in text of pages and users',
    ],
    [
      '11.2c',
      'rate limits hold',
      'test/security/politeness.test.ts: a crawl delay applies from the first page on, also for a job without a rate',
    ],
    [
      '12.1',
      'create-job, list-jobs, job-status, cancel-job',
      `${demo}the seed’s command names are those of jobs`,
    ],
    [
      '12.1b',
      'the curl command of the seed',
      `${demo}the request of the seed is accepted without a key, and its job is done`,
    ],
    [
      '12.1c',
      'items from a CSV file, run locally',
      `${scrapers}parcels become taxes in two steps; bad rows are rejected with line and field, and the others run`,
    ],
    [
      '12.2',
      'API documentation with examples',
      'test/system/service/service-docs.test.ts: the examples of the API are accepted unchanged',
    ],
    [
      '12.2b',
      'a troubleshooting guide',
      'test/documents.test.ts: docs/troubleshooting.md names every failure code and no others',
    ],
    [
      '12.2c',
      'guides for scrapers and for ECS',
      'test/documents.test.ts: every guide ends with a check list and one command that verifies it',
    ],
  ],
)
