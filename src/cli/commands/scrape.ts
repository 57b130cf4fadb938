// kscrape scrape: writes pages to stdout or files, as markdown, HTML, text, JSON, or a list of links.
import { parseDuration } from '../../lib/text/units.ts'
import { type AddCommand, action } from '../command.ts'
import { gathered, oneOf, parsed } from '../flags/flag-values.ts'
import {
  commonFlags,
  extractFlags,
  fetchFlags,
  maxAgeFlag,
  pageFormats,
  ruleFlags,
  type ScrapeFlags,
  serverFlags,
  tableFlags,
} from '../flags/flags.ts'
import { renderPageFlags } from '../flags/render-flags.ts'

export const addScrape: AddCommand = program => {
  const command = program
    .command('scrape')
    .argument('<url...>', 'the pages to scrape')
    .optionsGroup('Output:')
    .option('-f, --format <format>', `one of ${pageFormats.join(', ')}`, oneOf(pageFormats), 'markdown')
    .option('--full', 'print the whole page, with navigation and footers; for markdown and text')
  ruleFlags(command, 'print these fields as JSON instead of the page').option(
    '-o, --output <file>',
    'write a file instead: the page as .md .txt .html, records as .jsonl .json .csv .tsv .xlsx .parquet .sqlite, raw pages as .warc.gz .wacz (repeatable)',
    gathered,
  )
  tableFlags(command)
  command
    .optionsGroup('Requests:')
    .option(
      '--wait <duration>',
      'time limit for waits and retries, multiplied by the number of URLs; a response that has begun may finish (0s: no limit)',
      parsed(parseDuration),
      30_000,
    )
  serverFlags(commonFlags(renderPageFlags(fetchFlags(maxAgeFlag(extractFlags(command))))))
    .description('print pages, or write them to files; `kscrape URL` does the same')
    .addHelpText('after', examples)
    .action(action(scrape))
}

const examples = `
Examples:
  kscrape https://example.com
  kscrape scrape https://example.com --format links
  kscrape https://shop.example/item/1 https://shop.example/item/2 --field name=h1 --field price=.price:money -o items.csv
  kscrape scrape https://shop.example/item/1 --extract product.yaml
  kscrape scrape https://app.example --screenshot app.png

A page that lacks its content without JavaScript is loaded in a browser; --render never turns that off. With --server or SCRAPER_SERVER
the service scrapes the page.`

async function scrape(urls: string[], flags: ScrapeFlags): Promise<void> {
  const { targetsOf } = await import('../flags/targets.ts')
  const { scrapePages } = await import('../actions/scrape.ts')
  await scrapePages(targetsOf(urls, flags), flags)
}
