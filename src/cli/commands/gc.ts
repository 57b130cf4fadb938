// kscrape gc: what was kept long enough goes now.
import { type AddCommand, lazily } from '../command.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

export const addGc: AddCommand = program => {
  serverFlags(lookFlags(program.command('gc')))
    .description('delete expired data and orphans, and print what was deleted')
    .option('--dry-run', 'only list what would be deleted')
    .option('--compact', 'then rewrite the store, so that its file shrinks and deleted data is gone')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/gc.ts')).collect))
}

const notes = `
A service does the same by itself, every SCRAPER_GC_EVERY. How long each kind is kept is a setting (SCRAPER_RAW_RETENTION and the like), and a job
may say otherwise for what is its own (retention). Jobs that have not ended lose nothing. With DATABASE_URL and S3_BUCKET set it works on the cluster.`
