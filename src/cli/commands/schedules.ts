// kscrape schedules: recurring jobs of a service.
import { differences } from '../../model/schedule.ts'
import { type AddCommand, lazily } from '../command.ts'
import { gathered, oneOf, whole } from '../flags/flag-values.ts'
import { lookFlags, serverFlags, steerFlags } from '../flags/flags.ts'

const doing = () => import('../actions/schedules.ts')

export const addSchedules: AddCommand = program => {
  const schedules = program
    .command('schedules')
    .description('create, show, pause and run schedules, which start jobs at set times')
  serverFlags(
    lookFlags(schedules.command('create').argument('<schedule.yaml>', 'YAML or JSON, or - for stdin')),
  )
    .description('create a schedule from a file: the body of POST /schedules')
    .option(
      '--allow-private <host:port>',
      'allow this private address in the job of the schedule (repeatable); the service must allow it too',
      gathered,
    )
    .addHelpText('after', example)
    .action(lazily(async () => (await doing()).create))
  serverFlags(lookFlags(schedules.command('list')))
    .description('list schedules with their next runs')
    .action(lazily(async () => (await doing()).listAll))
  serverFlags(lookFlags(schedules.command('show').argument('<schedule>')))
    .description('show a schedule, its next five runs and its last runs')
    .option('--limit <n>', 'number of last runs to show', whole(1, 10_000), 10)
    .action(lazily(async () => (await doing()).show))
  serverFlags(steerFlags(schedules.command('pause').argument('<schedule>')))
    .description('pause a schedule: skip its runs; a running job continues')
    .action(lazily(async () => (await doing()).pause))
  serverFlags(steerFlags(schedules.command('resume').argument('<schedule>')))
    .description('resume a schedule with its next run')
    .action(lazily(async () => (await doing()).resume))
  serverFlags(steerFlags(schedules.command('run').argument('<schedule>')))
    .description('run a schedule now, in addition to its times; a service starts the run within seconds')
    .option(
      '--tick <which>',
      '`latest`: start the run of the last tick, unless that tick already has a run',
      oneOf(['latest'] as const),
    )
    .action(lazily(async () => (await doing()).run))
  serverFlags(lookFlags(schedules.command('compare').argument('<schedule>')))
    .description('show which records are new, changed or missing between the last two runs')
    .option('--from <job>', 'job id of the earlier run')
    .option('--to <job>', 'job id of the later run')
    .option(
      '--difference <words>',
      `differences to list, separated by commas: ${differences.join(', ')}`,
      listedDifferences,
    )
    .option(
      '--limit <n>',
      'maximum number of differences to list; all differences are counted',
      whole(1, 1_000_000),
      100,
    )
    .action(lazily(async () => (await doing()).compare))
  serverFlags(steerFlags(schedules.command('delete').argument('<schedule>')))
    .description('delete a schedule and the list of its runs; their jobs stay')
    .action(lazily(async () => (await doing()).remove))
}

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
Runs start while \`kscrape serve\` runs on the same data directory, or at the service of --server.`
