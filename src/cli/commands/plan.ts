// kscrape plan: what a job would take, before it takes it.
import { type AddCommand, lazily } from '../command.ts'
import { commonFlags, fetchFlags, scopeFlags, serverFlags } from '../flags/flags.ts'
import { renderFlags } from '../flags/render-flags.ts'

export const addPlan: AddCommand = program => {
  const command = program
    .command('plan')
    .argument('<url|file>', 'a site to crawl, or a list: .txt .csv .tsv .json .jsonl')
    .optionsGroup('What is run:')
    .option('--url-column <name>', 'the column of the list that holds the URL')
  serverFlags(commonFlags(renderFlags(fetchFlags(scopeFlags(command)))))
    .description('estimate pages, time, browser pages, bytes and cost before a job runs')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/plan.ts')).runPlan))
}

const notes = `
Looks at robots.txt, the sitemaps (a few of them) and up to 20 pages, as politely as the job itself would, and keeps none of it.

Examples:
  kscrape plan https://example.com --include '**/blog/**'
  kscrape plan urls.csv --url-column link --rate 2/s --json`
