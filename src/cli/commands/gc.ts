// kscrape gc: what was kept long enough goes now.
import { type AddCommand, lazily } from '../command.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

export const addGc: AddCommand = program => {
  serverFlags(lookFlags(program.command('gc')))
    .description(
      'take away what was kept long enough, and what belongs to no job any more; says what went, by kind',
    )
    .option('--dry-run', 'only say what would go')
    .option(
      '--compact',
      'then write the store anew: what was deleted is gone from its file, which gets smaller',
    )
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/gc.ts')).collect))
}

const notes = `
A service does the same by itself, every SCRAPER_GC_EVERY. How long each kind is kept is a setting (SCRAPER_RAW_RETENTION and the like), and a job
may say otherwise for what is its own (retention). Jobs that have not ended lose nothing. With DATABASE_URL and S3_BUCKET set it works on the cluster.`
