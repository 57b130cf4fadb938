// kscrape search: finds records of a service by words and fields.
import { type AddCommand, lazily } from '../command.ts'
import { gathered, whole } from '../flags/flag-values.ts'
import { serviceFlags } from '../flags/flags.ts'

export const addSearch: AddCommand = program => {
  serviceFlags(
    program.command('search').argument('[words...]', 'words that must all occur; begin* for a prefix'),
  )
    .description('find records of a service by their words and fields, newest first')
    .option(
      '--filter <field=value>',
      'only records whose field matches: price<50, title~lamp, stock!=0 (repeatable)',
      gathered,
    )
    .option('--job <id>', 'only records of this job')
    .option('--host <host>', 'only records from pages of this host')
    .option('--limit <n>', 'maximum number of records to list', whole(1, 100_000), 20)
    .action(lazily(async () => (await import('../actions/search.ts')).findRecords))
}
