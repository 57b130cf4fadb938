// kscrape plan: estimates the pages, time and cost of a job.
import { type AddCommand, lazily } from '../command.ts'
import { commonFlags, fetchFlags, scopeFlags, serverFlags } from '../flags/flags.ts'
import { renderFlags } from '../flags/render-flags.ts'

export const addPlan: AddCommand = program => {
  const command = program
    .command('plan')
    .argument('<url|file>', 'a site to crawl, or a list: .txt .csv .tsv .json .jsonl')
    .optionsGroup('Input:')
    .option('--url-column <name>', 'the column of the list that contains the URL')
  serverFlags(commonFlags(renderFlags(fetchFlags(scopeFlags(command)))))
    .description('estimate pages, time, browser pages, bytes and cost before a job runs')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/plan.ts')).runPlan))
}

const notes = `
Fetches robots.txt, a few sitemaps and up to 20 pages, as politely as the job would, and stores none of them.

Examples:
  kscrape plan https://example.com --include '**/blog/**'
  kscrape plan urls.csv --url-column link --rate 2/s --json`
