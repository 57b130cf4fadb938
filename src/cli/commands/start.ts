// kscrape start and kscrape migrate: the service as several processes, with PostgreSQL, Redis and S3.
import { type AddCommand, lazily } from '../command.ts'
import { gathered, whole } from '../flags/flag-values.ts'

export const addStart: AddCommand = program => {
  program
    .command('start')
    .argument(
      '<role...>',
      'api, coordinator, ingest, http-worker, browser-worker, processor, sqs-intake; several, or all of them with `all`',
    )
    .description('run one or more roles of a cluster in this process, on PostgreSQL, Redis and S3')
    .option(
      '-c, --concurrency <n>',
      'tasks that a worker runs at a time (SCRAPER_CONCURRENCY, default 32)',
      whole(1, 10_000),
    )
    .option(
      '--shards <n>',
      'number of shards; use the same number for every process of the cluster (SCRAPER_SHARDS, default 1)',
      whole(1, 64),
    )
    .option(
      '-p, --port <n>',
      'port of the api; 0 selects a free port (SCRAPER_PORT, default 8001)',
      whole(0, 65_535),
    )
    .option('--host <address>', 'address of the api (SCRAPER_HOST, default 127.0.0.1)')
    .option('--allow-private <host:port>', 'allow this private address (repeatable)', gathered)
    .option('--json', 'log JSON lines, also on a terminal')
    .option('-q, --quiet', 'log errors only')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/start.ts')).start))
}

export const addMigrate: AddCommand = program => {
  program
    .command('migrate')
    .description('upgrade the tables of DATABASE_URL; safe to run twice, and while the previous version runs')
    .option('--json', 'print JSON')
    .action(lazily(async () => (await import('../actions/start.ts')).migrate))
}

const notes = `
Needs DATABASE_URL, REDIS_URL, S3_BUCKET (and S3_ENDPOINT if it is not AWS), and tables created by \`kscrape migrate\`.
sqs-intake also needs SCRAPER_SQS_QUEUE_URL; \`all\` includes it if that is set (docs/sqs-dynamodb.md).
SIGTERM and Ctrl-C stop gracefully: the process takes no new work, tasks in flight may finish, others are requeued. A second signal ends it at once.`
