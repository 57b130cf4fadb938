// kscrape serve: runs the service in one process.
import { type AddCommand, lazily } from '../command.ts'
import { gathered, whole } from '../flags/flag-values.ts'

export const addServe: AddCommand = program => {
  program
    .command('serve')
    .description('run the service: HTTP API, docs and all workers in one process')
    .option(
      '-p, --port <n>',
      'port to listen on; 0 selects a free port (SCRAPER_PORT, default 8001)',
      whole(0, 65_535),
    )
    .option(
      '--host <address>',
      'address to listen on (SCRAPER_HOST, default 127.0.0.1); any other address needs an API key (SCRAPER_API_KEY or `kscrape keys create`)',
    )
    .option('--data-dir <dir>', 'the folder for jobs and raw pages (SCRAPER_DATA_DIR, default .kscrape)')
    .option('--allow-private <host:port>', 'allow this private address (repeatable)', gathered)
    .option(
      '--demo',
      'demo: serve the demo site too, use port 8000, no key and a temporary store; reachable from this machine only',
    )
    .option('--json', 'log JSON lines, also on a terminal')
    .option('-q, --quiet', 'log errors only')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/serve.ts')).serve))
}

const notes = `
The first start creates and prints a key that is valid on this machine only. SCRAPER_API_KEY sets a key that is valid everywhere.
SIGTERM and Ctrl-C stop gracefully: tasks in flight may finish, waiting tasks continue with the next start.`
