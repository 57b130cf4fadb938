// kscrape watch: shows changes of pages since the last check.
import { parseDuration } from '../../lib/text/units.ts'
import { type AddCommand, lazily } from '../command.ts'
import { gathered, parsed, whole } from '../flags/flag-values.ts'
import { commonFlags, fetchFlags } from '../flags/flags.ts'

export const addWatch: AddCommand = program => {
  commonFlags(fetchFlags(program.command('watch').argument('<url...>', 'the pages')))
    .description('show what changed on pages since the last check: new, changed (with a diff) or removed')
    .option(
      '--every <time>',
      'repeat the check at this interval, like 10m or 1h (default: check once)',
      parsed(parseDuration),
    )
    .option('--crawl', 'include linked pages of the same sites')
    .option(
      '--depth <n>',
      'with --crawl: maximum number of links between the start page and a page',
      whole(0, 1_000),
    )
    .option('--max-pages <n>', 'with --crawl: maximum number of pages', whole(1, 1_000_000))
    .option('--extract <rules.yaml>', 'compare the fields of these rules instead of the text')
    .option(
      '--ignore <noise>',
      'ignore differences of this kind: timestamps, ads, order, numbers, case or whitespace (repeatable; default: timestamps, ads, whitespace)',
      gathered,
    )
    .option('--ignore-field <name>', 'ignore this field (repeatable)', gathered)
    .option('--ignore-line <words>', 'ignore lines that contain these words (repeatable)', gathered)
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/watch.ts')).watch))
}

const notes = `
The first check stores the pages; each later one shows the differences. An unchanged page costs only a 304 if the site supports
ETags. A service can watch pages too: POST /monitors, with webhooks and feeds (docs/monitors.md).

Examples:
  kscrape watch https://example.com/prices
  kscrape watch https://example.com/jobs --crawl --depth 1 --every 1h --ignore order --ignore timestamps`
