// kscrape scrape: one page on stdout, as markdown, HTML, text, JSON or its links.

import { parseDuration } from '../../lib/text/units.ts'
import { type AddCommand, action } from '../command.ts'
import { oneOf, parsed } from '../flags/flag-values.ts'
import {
  commonFlags,
  extractFlags,
  fetchFlags,
  maxAgeFlag,
  pageFormats,
  type ScrapeFlags,
} from '../flags/flags.ts'
import { renderPageFlags } from '../flags/render-flags.ts'

export const addScrape: AddCommand = program => {
  const command = program
    .command('scrape')
    .argument('<url>', 'the page')
    .optionsGroup('Output:')
    .option('-f, --format <format>', `one of ${pageFormats.join(', ')}`, oneOf(pageFormats), 'markdown')
    .option('--full', 'the whole page, with navigation and footers; for markdown and text')
    .option('--extract <rules.yaml>', 'print these fields as JSON instead of the page')
  command
    .optionsGroup('Requests:')
    .option(
      '--wait <duration>',
      'stop waiting and retrying after this; a response that is arriving may finish (0s: no limit)',
      parsed(parseDuration),
      30_000,
    )
  commonFlags(renderPageFlags(fetchFlags(maxAgeFlag(extractFlags(command)))))
    .description('one page on stdout; `kscrape URL` is short for it')
    .addHelpText('after', examples)
    .action(action(scrape))
}

const examples = `
Examples:
  kscrape https://example.com
  kscrape scrape https://example.com --format links
  kscrape scrape https://shop.example/item/1 --extract product.yaml
  kscrape scrape https://app.example --render auto --screenshot app.png`

async function scrape(url: string, flags: ScrapeFlags): Promise<void> {
  const { targetsOf } = await import('../flags/targets.ts')
  const { scrapePage } = await import('../actions/scrape.ts')
  const [target] = targetsOf([url], flags)
  await scrapePage(target!, flags)
}
