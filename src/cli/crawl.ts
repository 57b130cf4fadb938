// kscrape crawl: follows links from where it is told to start, and writes a record for each page.

import { type AddCommand, action } from './commands.ts'
import { type JobFlags, jobFlags, type ScopeFlags, scopeFlags, specOf } from './flags.ts'

export const addCrawl: AddCommand = program => {
  scopeFlags(jobFlags(program.command('crawl').argument('<url...>', 'where to start')))
    .description('follow links and write a record for each page')
    .addHelpText('after', examples)
    .action(action(crawl))
}

const examples = `
Examples:
  kscrape crawl https://example.com -o pages.jsonl
  kscrape crawl https://shop.example --extract product.yaml --max-pages 500 -o products.csv -o products.parquet
  kscrape crawl https://docs.example --include '**/guide/**' --depth 3 --rate 2/s

Ctrl-C stops cleanly; \`kscrape jobs resume JOB\` goes on. Exit codes: docs/exit-codes.md.`

async function crawl(urls: string[], flags: JobFlags & ScopeFlags): Promise<void> {
  const { startSpec } = await import('./start-job.ts')
  await startSpec(flags, { ...specOf(flags), seedUrls: urls }, { command: `crawl ${urls[0]}` })
}
