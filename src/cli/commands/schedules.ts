// kscrape schedules: jobs that a service runs again and again.
import { type AddCommand, lazily } from '../command.ts'
import { gathered, oneOf, whole } from '../flags/flag-values.ts'
import { lookFlags, serverFlags, steerFlags } from '../flags/flags.ts'

const doing = () => import('../actions/schedules.ts')

export const addSchedules: AddCommand = program => {
  const schedules = program
    .command('schedules')
    .description('jobs that are run again and again: make, look at, pause and run schedules')
  serverFlags(
    lookFlags(schedules.command('create').argument('<schedule.yaml>', 'YAML or JSON, or - for stdin')),
  )
    .description('make a schedule from a file: the body of POST /schedules')
    .option(
      '--allow-private <host:port>',
      'let its job name this private place (repeatable); the service needs leave for it too',
      gathered,
    )
    .addHelpText('after', example)
    .action(lazily(async () => (await doing()).create))
  serverFlags(lookFlags(schedules.command('list')))
    .description('the schedules there are, with their next runs')
    .action(lazily(async () => (await doing()).listAll))
  serverFlags(lookFlags(schedules.command('show').argument('<schedule>')))
    .description('a schedule, its next five runs, and what became of the last ones')
    .option('--limit <n>', 'how many of the last runs', whole(1, 10_000), 10)
    .action(lazily(async () => (await doing()).show))
  serverFlags(steerFlags(schedules.command('pause').argument('<schedule>')))
    .description('let its times pass; what runs goes on')
    .action(lazily(async () => (await doing()).pause))
  serverFlags(steerFlags(schedules.command('resume').argument('<schedule>')))
    .description('go on with its next time')
    .action(lazily(async () => (await doing()).resume))
  serverFlags(steerFlags(schedules.command('run').argument('<schedule>')))
    .description('run it now, beside its times; a service starts it within seconds')
    .option(
      '--tick <which>',
      '`latest`: the run of its last time; one that was run already is not run again',
      oneOf(['latest'] as const),
    )
    .action(lazily(async () => (await doing()).run))
  serverFlags(lookFlags(schedules.command('compare').argument('<schedule>')))
    .description('what is new, changed and gone between its last two runs')
    .option('--from <job>', 'the earlier run, by its job')
    .option('--to <job>', 'the later run, by its job')
    .option(
      '--difference <words>',
      `which to list, with commas: ${differences.join(', ')}`,
      listedDifferences,
    )
    .option('--limit <n>', 'how many to list; all are counted', whole(1, 1_000_000), 100)
    .action(lazily(async () => (await doing()).compare))
  serverFlags(steerFlags(schedules.command('delete').argument('<schedule>')))
    .description('delete a schedule and the list of its runs; their jobs stay')
    .action(lazily(async () => (await doing()).remove))
}

const differences = ['new', 'changed', 'unchanged', 'gone'] as const

const listedDifferences = (text: string) => text.split(',').map(oneOf(differences))

const example = `
Example (schedule.yaml):
  schedule_id: nightly
  name: Every night
  cron: 30 2 * * *
  time_zone: Europe/Berlin
  overlap: skip          # or queue, cancel_previous, allow
  jitter_s: 300
  job: { seed_urls: [https://shop.example/], depth: 2 }
Runs start while \`kscrape serve\` is up on the same data directory, or at the service of --server.`
