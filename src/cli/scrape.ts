// kscrape scrape: one page on stdout, as markdown, HTML, text, JSON or its links.
import { type Command, Option } from 'commander'
import { type AddCommand, action } from './commands.ts'
import { fetchFlags, type ScrapeFlags, specOf } from './flags.ts'

const scrapeFlags = (command: Command): Command =>
  fetchFlags(command)
    .addOption(
      new Option('-f, --format <format>', 'how the page is shown')
        .choices(['markdown', 'html', 'text', 'json', 'links'])
        .default('markdown'),
    )
    .option('--extract <rules.yaml>', 'these fields as JSON in place of the page')

export const addScrape: AddCommand = program => {
  scrapeFlags(program.command('scrape').argument('<url>', 'the page'))
    .description('one page on stdout; `kscrape URL` is short for it')
    .action(action(scrape))
}

async function scrape(url: string, flags: ScrapeFlags): Promise<void> {
  const { scrapePage } = await import('./scrape-page.ts')
  await scrapePage(url, flags, specOf({ ...flags, raw: true }))
}
