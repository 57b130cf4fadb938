// kscrape backup and kscrape restore: copy a data directory into one file, and restore it.
import { type AddCommand, lazily } from '../command.ts'
import { steerFlags } from '../flags/flags.ts'

export const addBackup: AddCommand = program => {
  steerFlags(program.command('backup').argument('<target>', 'a folder, or a file: .tar, .tar.gz or .tgz'))
    .description('copy a data directory into one verified file, also while it is in use')
    .option('--force', 'replace an existing file')
    .addHelpText('after', backupNotes)
    .action(lazily(async () => (await import('../actions/backup.ts')).backUp))
}

const backupNotes = `
Examples:
  kscrape backup /backups
  kscrape backup /backups/monday.tar.gz --data-dir /var/lib/kscrape

The file is a snapshot of the data directory: jobs, records, raw pages, sessions and the key that seals headers of
jobs. Protect it like the directory itself. To back up a cluster, use the tools of PostgreSQL and S3:
docs/backup-retention-erasure.md.`

export const addRestore: AddCommand = program => {
  steerFlags(program.command('restore').argument('<file>', 'made by kscrape backup'))
    .description('restore a backup into a data directory')
    .option('--force', 'delete the current content of the data directory')
    .option('--check', 'only verify the checksums of the backup')
    .addHelpText('after', restoreNotes)
    .action(lazily(async () => (await import('../actions/backup.ts')).restore))
}

const restoreNotes = `
The whole file is verified before anything changes. Unfinished jobs continue with \`kscrape jobs resume\`, or
when a service starts. Work after the backup is not in it and is done again.`
