// kscrape jobs: create, show, control and export jobs.
import type { Command } from 'commander'
import { type AddCommand, lazily } from '../command.ts'
import { gathered, oneOf, whole } from '../flags/flag-values.ts'
import {
  commonFlags,
  fetchFlags,
  lookFlags,
  outputFlag,
  serverFlags,
  steerFlags,
  tableFlags,
} from '../flags/flags.ts'
import { renderFlags } from '../flags/render-flags.ts'

const steering = () => import('../actions/jobs-control.ts')
const looking = () => import('../actions/jobs-show.ts')

const jobStates = [
  'pending',
  'running',
  'paused',
  'finishing',
  'completed',
  'partially_completed',
  'failed',
  'cancelled',
  'interrupted',
] as const
const taskStates = [
  'pending',
  'queued',
  'in_progress',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const

export const addJobs: AddCommand = program => {
  const jobs = program
    .command('jobs')
    .description('create, show, control and export jobs')
    .addHelpText(
      'after',
      '\nOther names: kscrape create-job, list-jobs, job-status and cancel-job are jobs create, list, show and cancel.',
    )
  addCreate(jobs)
  addLooking(jobs)
  addSteering(jobs)
  addExport(jobs)
  addImport(jobs)
}

function addCreate(jobs: Command): void {
  const create = jobs.command('create').argument('<job.yaml>', 'YAML or JSON, or - for stdin')
  serverFlags(
    commonFlags(
      renderFlags(
        fetchFlags(
          outputFlag(
            create,
            'the output of the job file; without one, JSONL on stdout, or a new file on a terminal',
          ),
        ),
      ),
    ),
  )
    .description('run a job from a file: the body of POST /jobs; flags override the file')
    .addHelpText('after', createExample)
    .action(lazily(async () => (await import('../actions/jobs-create.ts')).createJob))
}

const createExample = `
Example (job.yaml):
  job_id: shop-1
  seed_urls: [https://shop.example/]
  depth: 3
  max_pages: 500
  exclude: ['**/cart/**']
  extract: { fields: { name: h1, price: { css: .price, as: money } } }
  output: [products.csv, products.jsonl]`

function addLooking(jobs: Command): void {
  serverFlags(lookFlags(jobs.command('list')))
    .description('list the jobs of a data directory or a service, newest first')
    .option('--state <state>', `only jobs in this state: ${jobStates.join(', ')}`, oneOf(jobStates))
    .option('--limit <n>', 'maximum number of jobs to list', whole(1, 100_000), 50)
    .action(lazily(async () => (await looking()).listJobs))
  serverFlags(lookFlags(jobs.command('show').argument('<job>')))
    .description(
      'show the status of a job: counts by state and reason, hosts, waits, outputs, sources of fields',
    )
    .option('--task <n>', 'show one task: its attempts, its records, and the source of each field')
    .option('--provenance', 'count the sources of all records, not only of the first 2,000')
    .option('--policy', 'show the policy of the job, the origin of each value, and what the job has spent')
    .option('--rejected', 'list the rows that could not be run, with line and reason')
    .option('--tasks [state]', `list tasks, all or of one state: ${taskStates.join(', ')}`, oneOf(taskStates))
    .action(lazily(async () => (await looking()).showJob))
}

const limitWords = 'pages=N, bytes=2GB, browser=30m, money=5; +N adds to a limit, none removes it'

const raiseExample = `
Examples:
  kscrape jobs raise shop-1 pages=5000
  kscrape jobs raise shop-1 bytes=+2GB money=none`

function addSteering(jobs: Command): void {
  serverFlags(steerFlags(jobs.command('pause').argument('<job>')))
    .description('pause a job: start no more tasks; running tasks may finish')
    .action(lazily(async () => (await steering()).pauseJob))
  serverFlags(commonFlags(fetchFlags(jobs.command('resume').argument('<job>'))))
    .description('continue a job that was paused, interrupted or killed; flags apply to this run')
    .action(lazily(async () => (await steering()).resumeJob))
  serverFlags(steerFlags(jobs.command('cancel').argument('<job>')))
    .description('end a job at once: cancel waiting tasks and abort running tasks')
    .action(lazily(async () => (await steering()).cancelJob))
  serverFlags(steerFlags(jobs.command('raise').argument('<job>').argument('<limits...>', limitWords)))
    .description('change the limits of a job; a job that stopped at a limit can then continue')
    .addHelpText('after', raiseExample)
    .action(lazily(async () => (await import('../actions/jobs-raise.ts')).raiseJob))
  const retry = jobs
    .command('retry')
    .argument('<job>')
    .option('--failed', 'rerun only failed tasks (the default)')
  serverFlags(commonFlags(fetchFlags(retry)))
    .description('rerun failed tasks; flags apply to this run')
    .action(lazily(async () => (await steering()).retryJob))
  serverFlags(steerFlags(jobs.command('delete').argument('<job>')))
    .description('delete a job with its records and raw pages; files of -o stay')
    .option('--force', 'delete the job even if it has not ended')
    .action(lazily(async () => (await steering()).deleteJob))
}

function addExport(jobs: Command): void {
  serverFlags(steerFlags(jobs.command('artifacts').argument('<job>')))
    .description('list the screenshots, PDFs, downloads and traces of a job, or write them to a folder')
    .option('-o, --output <dir>', 'write the files to this folder, with a subfolder for each task')
    .action(lazily(async () => (await import('../actions/jobs-artifacts.ts')).jobArtifacts))
  tableFlags(serverFlags(steerFlags(jobs.command('export').argument('<job>'))).optionsGroup('Options:'))
    .description('write the records of a job to files, or to stdout as JSONL')
    .option(
      '-o, --output <file>',
      '.jsonl .json .csv .tsv .xlsx .parquet .md .sqlite, pages as .warc.gz .wacz .cdxj .har, or a folder with --raw or --crawlee (repeatable)',
      gathered,
    )
    .option(
      '--raw',
      'write the raw pages as Parquet, under domain=…/date=… in the folder of -o; with --server and without -o, into the storage of the service',
    )
    .option(
      '--crawlee',
      'write the records as a Crawlee dataset; the folder of -o is the storage folder of Crawlee',
    )
    .action(lazily(async () => (await looking()).exportJob))
}

function addImport(jobs: Command): void {
  jobs
    .command('import')
    .argument('<data-dir>', 'the data directory of a single-process kscrape; it must not be in use')
    .description('move a data directory into the cluster of DATABASE_URL and S3_BUCKET')
    .option('--json', 'print progress and result as JSON lines')
    .option('-q, --quiet', 'print only errors')
    .addHelpText('after', importNotes)
    .action(lazily(async () => (await import('../actions/jobs-import.ts')).importJobs))
}

const importNotes = `
Moves jobs of every state with their tasks, records, raw pages and files, schedules, webhooks, uploads, API keys, states of
hosts, and do-not-crawl lists. Needs DATABASE_URL, REDIS_URL, S3_BUCKET and tables made by \`kscrape migrate\`. Safe to run twice; a run
that was killed continues when it is repeated. Data that cannot be moved is named. Afterwards the directory is read-only.`
