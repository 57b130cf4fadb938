// kscrape jobs: create, look at, steer and export jobs.
import type { Command } from 'commander'
import { type AddCommand, action } from './commands.ts'
import { commonFlags, fetchFlags } from './flags.ts'

/** Actions live in files that are loaded when one of them is called. */
const lazily =
  (name: keyof typeof import('./jobs-actions.ts')) =>
  (...args: unknown[]): Promise<void> =>
    action(async (...given: unknown[]) => {
      const actions = await import('./jobs-actions.ts')
      await (actions[name] as (...values: unknown[]) => Promise<void>)(...given)
    })(...args)

const addOne = (jobs: Command, usage: string, about: string): Command =>
  commonFlags(jobs.command(usage)).description(about)

export const addJobs: AddCommand = program => {
  const jobs = program.command('jobs').description('create, look at, steer and export jobs')
  fetchFlags(jobs.command('create <job.yaml>'))
    .description('run a job from a file: the body of POST /jobs, as YAML or JSON')
    .action(lazily('createJob'))
  addOne(jobs, 'list', 'the jobs of this data directory, newest first')
    .option('--state <state>', 'only jobs in this state')
    .option('--limit <n>', 'how many', Number, 50)
    .action(lazily('listJobs'))
  addOne(jobs, 'show <job>', 'how a job stands: counts by state and reason, hosts, outputs')
    .option('--rejected', 'list the rows that could not be run, with line and reason')
    .option('--tasks [state]', 'list tasks, all or of one state')
    .action(lazily('showJob'))
  addOne(jobs, 'pause <job>', 'stop starting tasks; what runs may finish').action(lazily('pauseJob'))
  fetchFlags(jobs.command('resume <job>'))
    .description('go on with a job that was paused, interrupted or killed')
    .action(lazily('resumeJob'))
  addOne(jobs, 'cancel <job>', 'end a job: what waits is cancelled, what runs may finish').action(
    lazily('cancelJob'),
  )
  fetchFlags(jobs.command('retry <job>'))
    .description('run again what failed')
    .option('--failed', 'only what failed (the default)')
    .action(lazily('retryJob'))
  addOne(jobs, 'delete <job>', 'delete a job with its records and raw pages')
    .option('--force', 'also while it is not ended')
    .action(lazily('deleteJob'))
  addOne(jobs, 'export <job>', 'write the records of a job to files')
    .option(
      '-o, --output <file>',
      '.jsonl .json .csv .tsv .parquet .md .warc.gz, or a folder with --raw (repeatable)',
      (value: string, before: string[] = []) => [...before, value],
    )
    .option('--raw', 'the raw pages as Parquet under domain=…/date=… in the folder of -o')
    .action(lazily('exportJobTo'))
  for (const command of jobs.commands) command.exitOverride()
}
