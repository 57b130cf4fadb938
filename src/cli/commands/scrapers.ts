// kscrape scrapers: lists, shows, creates, tests and certifies scrapers.
import type { Command } from 'commander'
import { type AddCommand, lazily } from '../command.ts'
import { commonFlags, fetchFlags, lookFlags, steerFlags } from '../flags/flags.ts'

const looking = () => import('../actions/scrapers-show.ts')
const testing = () => import('../actions/scrapers-test.ts')

export const addScrapers: AddCommand = program => {
  const scrapers = program
    .command('scrapers')
    .description('list, show, write, test and certify scrapers: the built-in ones and those in scrapers/')
  addLooking(scrapers)
  addTest(scrapers)
  lookFlags(scrapers.command('certify').argument('<id>', 'your own scraper or a built-in scraper'))
    .description('check schema, golden pages, nulls, policy, secrets and speed; `list` shows the result')
    .action(lazily(async () => (await testing()).certifyScraper))
}

function addLooking(scrapers: Command): void {
  lookFlags(scrapers.command('list'))
    .description('list scrapers with their origin and certification')
    .action(lazily(async () => (await looking()).listScrapers))
  lookFlags(scrapers.command('show').argument('<id>', 'the scraper'))
    .description('show the input, output, policy, rules and file of a scraper')
    .action(lazily(async () => (await looking()).showScraper))
  steerFlags(scrapers.command('new').argument('<name>', 'id of the scraper, and name of its file'))
    .description('write a first version of scrapers/NAME.ts, with a golden page and a test')
    .action(lazily(async () => (await looking()).writeScraper))
}

function addTest(scrapers: Command): void {
  const command = scrapers
    .command('test')
    .argument(
      '[id...]',
      'test only these scrapers, your own or built-in (default: all with golden pages in scrapers/golden)',
    )
    .optionsGroup('Golden pages:')
    .option('--builtin', 'also run the golden pages that come with the built-in scrapers')
    .option('--update', 'save the current results instead of comparing')
    .option(
      '--record <url|input>',
      'run on the real site and store the recording as a new golden case, without secrets',
    )
    .option('--scraper <id>', 'with --record: the scraper to run')
    .option('--case <name>', 'with --record: the name of the case (default: from the URL or the input)')
  commonFlags(fetchFlags(command))
    .description('run scrapers on their golden pages and show differences; exit code 3 if there are any')
    .addHelpText('after', examples)
    .action(lazily(async () => (await testing()).testScrapersWith))
}

const examples = `
Examples:
  kscrape scrapers test
  kscrape scrapers test parcel-tax --update
  kscrape scrapers test --record https://shop.example/things/42 --scraper thing
  kscrape scrapers test --record '{"parcel":"123-45"}' --scraper parcel-tax --case two-owners

A case is a folder scrapers/golden/ID/CASE/ with page.html (or a .warc.gz of several exchanges), input.json if the
scraper takes a row, and record.json with the expected record. For pages that must be refused, failure.json {"code": "…"}
replaces record.json.`
