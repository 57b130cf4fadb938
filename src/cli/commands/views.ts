// kscrape views: typed views over records in PostgreSQL, for psql, Grafana and BI tools.
import { type AddCommand, lazily } from '../command.ts'
import { gathered } from '../flags/flag-values.ts'
import { lookFlags } from '../flags/flags.ts'

const actions = () => import('../actions/views.ts')

export const addViews: AddCommand = program => {
  const views = program
    .command('views')
    .description(
      'manage PostgreSQL views of records, with a typed column for each field (needs DATABASE_URL)',
    )
    .addHelpText('after', notes)
  lookFlags(views.command('create').argument('[job]', 'the job whose records the view shows'))
    .description('create the view of a job or of a scraper, or update it to the current fields')
    .option('--scraper <id>', 'instead of a job: all records of this scraper')
    .option('--workspace <name>', 'with --scraper: only records of this workspace')
    .option('--grant <role>', 'let this PostgreSQL role read the view (repeatable)', gathered)
    .action(lazily(async () => (await actions()).createView))
  lookFlags(views.command('list'))
    .description('list the views with their columns and types')
    .action(lazily(async () => (await actions()).listViews))
  lookFlags(views.command('refresh'))
    .description('update all views to the current fields of their records')
    .action(lazily(async () => (await actions()).refreshViews))
  lookFlags(views.command('drop').argument('<view>', 'name of the view, as `list` shows it'))
    .description('drop a view; records stay')
    .action(lazily(async () => (await actions()).dropView))
}

const notes = `
Fields become boolean, bigint, numeric, text, timestamptz, date or jsonb, whichever holds all values so far.
bi_jobs, bi_tasks, bi_attempts and bi_records always exist.

Examples:
  kscrape views create shop --grant grafana
  psql "$DATABASE_URL" -c "select date_trunc('day', _fetched_at), avg(price) from bi_job_shop group by 1"`
