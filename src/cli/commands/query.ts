// kscrape query: SQL over records, with DuckDB.
import { type AddCommand, lazily } from '../command.ts'
import { gathered } from '../flags/flag-values.ts'
import { commonFlags, serverFlags } from '../flags/flags.ts'

export const addQuery: AddCommand = program => {
  serverFlags(commonFlags(program.command('query').argument('<sql>', 'like "select count(*) from records"')))
    .description(
      'run SQL on the records of jobs, or on Parquet files of kscrape (needs the package @duckdb/node-api)',
    )
    .option('--job <id>', 'the job whose records are the rows of the table `records` (repeatable)', gathered)
    .option('--file <parquet>', 'files or globs instead of jobs (repeatable)', gathered)
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/query.ts')).query))
}

const notes = `
Fields are columns; the columns _page_… have the origin of a record (_page_url, _page_fetched_at, …).

Examples:
  kscrape query "select _page_url, price from records order by price limit 5" --job crawl-k3v9x2a7
  kscrape query "select domain, count(*) from records group by domain" --file 'raw/**/*.parquet'`
