// Seed 001, K-Scrape Nexus on Kubernetes. Sections: the prompt's 1 to 3, then the sections of its design document as 4.1 to 4.5.
import { requirementsOf } from './requirement.ts'

const seedTest = 'test/seeds/seed-001.test.ts'
const manifests = 'test/operations/manifests.test.ts'
const images = 'test/operations/images.test.ts'
const delivery = 'test/operations/delivery.test.ts'
const fromZero = 'test/system/cluster/from-zero.nightly.test.ts'
const metricsOfRoles = 'test/operations/metrics-roles.long.test.ts'

export const seed = requirementsOf(
  '001',
  ['1', '2', '3', '4.1', '4.2', '4.3.1', '4.3.2', '4.3.3', '4.4', '4.5.1', '4.5.2', '4.5.3', '4.5.4'],
  [
    ['1a', 'pods and nodes scale with the workload', `${fromZero}: a plain job`],
    [
      '1b',
      'client disconnections have no impact on jobs in progress',
      'test/seeds/seed-001-journey.test.ts: a file goes to its signed URL and a job reads it, though the client leaves with the 202',
    ],
    [
      '1c',
      'component failures are handled: a worker dies',
      'test/system/cluster/cluster-robots.long.test.ts: a worker that dies while it fetches robots.txt is replaced by another one within seconds',
    ],
    [
      '1d',
      'component failures are handled: the leader dies',
      'test/system/cluster/cluster-robots.long.test.ts: when the leader dies while a worker fetches robots.txt, the next leader uses the same response',
    ],
    [
      '1e',
      'component failures are handled: Redis is down',
      `${fromZero}: while Redis is down the API stays ready and accepts jobs; a worker is not ready`,
    ],
    [
      '1f',
      'the system is declared in Git',
      `${manifests}: the applications of Argo CD are valid, and follow overlays that exist`,
    ],
    [
      '1g',
      'network segmentation and least privilege by default',
      `${manifests}: network policies allow only the named connections`,
    ],
    [
      '1h',
      'metrics, logs and traces are interconnected',
      'test/operations/watching.test.ts: every data source is a service of the compose file, and every link leads to a data source',
    ],

    ['2a', 'Python 3.11, FastAPI, Pydantic, httpx, Playwright, Pandas or Polars', 'mapping M-001-stack'],
    ['2b', 'PostgreSQL with Alembic migrations', 'mapping M-001-migrations'],
    [
      '2c',
      'Redis Streams for queues',
      'test/contracts/redis-queue.test.ts: two workers share a stream, and one takes over what the other released',
    ],
    ['2d', 'Redis hashes for state', 'mapping M-001-state'],
    [
      '2e',
      'S3-compatible storage',
      'test/contracts/s3-signed-put.test.ts: a plain `curl -T` to the signed URL is enough',
    ],
    [
      '2f',
      'Docker and CI build scripts',
      `${images}: builds and pushes both images for both architectures, and writes the tag of the commit into staging`,
    ],
    [
      '2g',
      'Kubernetes and Kustomize',
      `${manifests}: every role of the program has a deployment, and each deployment starts its role`,
    ],
    [
      '2h',
      'KEDA, HPA and Cluster Autoscaler',
      `${manifests}: workers scale by runnable work first and by lag second, from zero and to zero`,
    ],
    [
      '2i',
      'Network policies and SOPS',
      `${delivery}: the sample secrets in Git can be opened with their throw-away key, and show only names without it`,
    ],
    [
      '2j',
      'Prometheus, Grafana, Loki and Tempo',
      `${images}: the full set is there: stores, metrics, logs, traces`,
    ],

    [
      '3a',
      'the tree of manifests and scripts',
      `${seedTest}: every manifest and script of the seed’s tree is there`,
    ],
    [
      '3b',
      'each file has a comment that says what it is for',
      `${seedTest}: every manifest begins with a comment that says what it is for`,
    ],
    ['3c', 'services/ with a folder, a Dockerfile and tests for each service', 'mapping M-001-layout'],
    ['3d', 'shared/rbac.yaml with ServiceAccounts and Roles', 'mapping M-001-rbac'],

    [
      '4.1',
      'the whole life of a job, from ingestion to storage',
      'test/seeds/seed-001-journey.test.ts: a file goes to its signed URL and a job reads it, though the client leaves with the 202',
    ],
    ['4.2a', 'services and streams of the diagram', 'mapping M-001-names'],
    [
      '4.2b',
      'steps 1 to 3: a pre-signed URL takes the file',
      'test/security/upload-urls.test.ts: is sent to its URL and gives a record for each row',
    ],
    [
      '4.2c',
      'steps 4 to 8: the ingestion service reads the file and creates tasks',
      `${fromZero}: an uploaded file`,
    ],
    [
      '4.2d',
      'steps 9 to 13: workers store raw pages, processors store cleaned data',
      'test/system/cluster/cluster-crawl.long.test.ts: a crawl of a site goes through coordinator, worker and processor, each page once',
    ],
    [
      '4.2e',
      'step 9: workers use a rotating proxy pool',
      'test/system/cluster/cluster-proxies.long.test.ts: workers rotate the proxies; without one the job waits, and continues when one is back',
    ],
    [
      '4.2f',
      'step 14: the client polls for results',
      'test/system/cluster/cluster-service.long.test.ts: a list submitted to the API is fetched and parsed by workers, and its results are shown',
    ],

    [
      '4.3.1a',
      'the API scales on CPU and memory',
      `${seedTest}: the API scales on CPU and memory, from at least two pods`,
    ],
    [
      '4.3.1b',
      'an idle cluster serves callers',
      'test/system/cluster/from-zero.long.test.ts: a cluster without workers and without work is healthy',
    ],
    ['4.3.2a', 'workers scale on the messages in their stream', 'mapping M-001-trigger'],
    [
      '4.3.2b',
      'roles scale down to zero when there is no work',
      `${seedTest}: KEDA starts all the pods that are needed at once, and none when there is no work`,
    ],
    ['4.3.2c', 'a plain job from zero to done to zero', `${fromZero}: a plain job`],
    ['4.3.2d', 'a rendered job from zero to done to zero', `${fromZero}: a rendered job`],
    ['4.3.2e', 'a job with actions from zero to done to zero', `${fromZero}: a job with actions`],
    ['4.3.2f', 'an upload from zero to done to zero', `${fromZero}: an uploaded file`],
    [
      '4.3.2g',
      'a sync call from zero to done to zero',
      `${fromZero}: a sync call waits for the worker that it wakes`,
    ],
    [
      '4.3.2h',
      '100,000 URLs start hundreds of worker pods',
      `${seedTest}: 100,000 runnable tasks start hundreds of workers in production, and one polite host starts one`,
    ],
    [
      '4.3.2i',
      '100,000 URLs on many hosts are runnable at once',
      'src/pipeline/coordinate/runnable-work.test.ts: 100,000 URLs on many hosts are runnable at once',
    ],
    [
      '4.3.2j',
      'processing power matches the work',
      `${fromZero}: 20,000 URLs of one host at one request per second need one worker of each kind`,
    ],
    [
      '4.3.3',
      'the Cluster Autoscaler adds and removes nodes',
      'test/operations/terraform.test.ts: node groups have the tags that the Cluster Autoscaler looks for',
    ],

    [
      '4.4a',
      'files go directly to S3',
      'test/contracts/s3-signed-put.test.ts: a plain `curl -T` to the signed URL is enough',
    ],
    ['4.4b', 'connections are pooled', 'src/fetch/http/fetch.test.ts: connections are kept alive and reused'],
    [
      '4.4c',
      'robots.txt is shared in Redis',
      'test/contracts/redis-cache.test.ts: robots.txt is stored first, and read from the store if the cached copy expired or was evicted',
    ],
    [
      '4.4d',
      'DNS answers are shared in Redis',
      'test/contracts/redis-cache.test.ts: a host name that one process resolved is not resolved again by another',
    ],
    [
      '4.4e',
      'scraping and cleaning are separate fleets',
      'test/system/cluster/cluster-crawl.long.test.ts: a crawl of a site goes through coordinator, worker and processor, each page once',
    ],

    [
      '4.5.1a',
      'tests and linting run on a pull request',
      `${delivery}: every script named in a workflow, the Dockerfile or the Makefile exists`,
    ],
    [
      '4.5.1b',
      'images of changed services are built and tagged',
      `${images}: builds only the image that changed, and leaves the other one of staging unchanged`,
    ],
    [
      '4.5.1c',
      'the pipeline writes the tag into the overlay of staging',
      `${manifests}: the images that CI writes into the staging overlay are those that its pods run`,
    ],
    [
      '4.5.1d',
      'Argo CD deploys what is in Git',
      `${manifests}: the applications of Argo CD are valid, and follow overlays that exist`,
    ],
    [
      '4.5.1e',
      'promotion to production is a change in Git',
      `${images}: ci/promote gives production the tags of staging, each image its own`,
    ],
    [
      '4.5.2',
      'an initContainer migrates the schema before the service starts',
      `${seedTest}: every service that needs the database brings the schema up in an initContainer before it starts`,
    ],
    [
      '4.5.3a',
      'secrets are encrypted in Git; Argo CD decrypts them',
      `${delivery}: Argo CD, configured as documented, makes the Secret from the files in Git`,
    ],
    [
      '4.5.3b',
      'an HTTP worker reaches the internet, not the API',
      `${seedTest}: an HTTP worker reaches the internet and the data stores, not the API; only monitoring reaches it`,
    ],
    [
      '4.5.3c',
      'each service has its own ServiceAccount with the least rights',
      `${manifests}: no pod has unneeded privileges, and each has its own account`,
    ],
    [
      '4.5.4a',
      'every service has /metrics',
      `${metricsOfRoles}: every metric of docs/metrics.md has a value from every role that exports it`,
    ],
    [
      '4.5.4b',
      'queue lengths, latency per task, success and failure rates, request durations',
      'test/operations/metrics.test.ts: the metrics match the work',
    ],
    [
      '4.5.4c',
      'structured logs, searched by service and level',
      `${seedTest}: error logs of one role are found by its labels: lines are JSON with a level, the collector labels role and level`,
    ],
    [
      '4.5.4d',
      'Loki collects the logs of all pods',
      `${manifests}: the log collector reads our pods on every node, and forwards their lines as compose does`,
    ],
    [
      '4.5.4e',
      'a trace follows a submission from the API to the ingestion service',
      'test/operations/traces.long.test.ts: the trace of a job passes through all of them, and each exports its own spans',
    ],
  ],
)
