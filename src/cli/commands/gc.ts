// kscrape gc: deletes expired data now.
import { type AddCommand, lazily } from '../command.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

export const addGc: AddCommand = program => {
  serverFlags(lookFlags(program.command('gc')))
    .description('delete expired data and orphans, and print what was deleted')
    .option('--dry-run', 'only list what would be deleted')
    .option(
      '--compact',
      'afterwards rewrite the store file, so that it shrinks and no longer contains deleted data',
    )
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/gc.ts')).collect))
}

const notes = `
A service does this every SCRAPER_GC_EVERY. Settings such as SCRAPER_RAW_RETENTION say how long each kind of data is stored, and a job
can override them for its own data (retention). Unfinished jobs lose nothing. With DATABASE_URL and S3_BUCKET set it works on the cluster.`
