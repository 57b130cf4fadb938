// kscrape crawl: follows links from the start URLs and writes a record for each page.
import { type AddCommand, action } from '../command.ts'
import {
  commonFlags,
  fetchFlags,
  type JobFlags,
  jobFlags,
  type ScopeFlags,
  scopeFlags,
  serverFlags,
} from '../flags/flags.ts'
import { renderFlags } from '../flags/render-flags.ts'

export const addCrawl: AddCommand = program => {
  const command = program
    .command('crawl')
    .argument('<url...>', 'start page of the crawl')
    .optionsGroup('Scope:')
    .option('--strict', 'exit with 3 if a linked page is dead (404 or 410)')
  serverFlags(commonFlags(renderFlags(fetchFlags(scopeFlags(jobFlags(command))))))
    .description('follow links and write a record for each page')
    .addHelpText('after', examples)
    .action(action(crawl))
}

const examples = `
Examples:
  kscrape crawl https://example.com -o pages.jsonl
  kscrape crawl https://shop.example --extract product.yaml --max-pages 500 -o products.csv -o products.parquet
  kscrape crawl https://app.example --render auto --block images,fonts -o pages.jsonl
  kscrape crawl https://docs.example --include '**/guide/**' --depth 3 --rate 2/s

Ctrl-C stops gracefully; \`kscrape jobs resume JOB\` continues. Exit codes: docs/exit-codes.md.`

async function crawl(urls: string[], flags: JobFlags & ScopeFlags & { strict?: boolean }): Promise<void> {
  const { targetsOf } = await import('../flags/targets.ts')
  const { specOf } = await import('../flags/flag-spec.ts')
  const { startSpec } = await import('../jobs/start-job.ts')
  const seedUrls = targetsOf(urls, flags)
  await startSpec(
    flags,
    { ...specOf(flags), seedUrls },
    {
      command: `crawl ${urls.join(' ')}`,
      mayBeRemote: true,
      strict: flags.strict,
    },
  )
}
