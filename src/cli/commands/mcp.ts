// kscrape mcp: tools for language models, over stdin and stdout.

import { loadFor } from '../../lib/optional-packages.ts'
import { type AddCommand, lazily } from '../command.ts'
import { gathered } from '../flags/flag-values.ts'

export const addMcp: AddCommand = program => {
  program
    .command('mcp')
    .description(
      'serve tools for language models (MCP) over stdin and stdout: scrape, crawl, map, extract, results',
    )
    .option(
      '--server <url>',
      'the service to use (SCRAPER_SERVER); without this flag, the command starts a local service',
    )
    .option('--api-key <key>', 'API key of the service (SCRAPER_API_KEY)')
    .option('--data-dir <dir>', 'the folder for jobs and raw pages (SCRAPER_DATA_DIR, default .kscrape)')
    .option('--allow-private <host:port>', 'allow this private address (repeatable)', gathered)
    .addHelpText('after', notes)
    .action(lazily(async () => (await loadFor('mcp', () => import('../actions/mcp.ts'))).mcp))
}

const notes = `
For the configuration of an MCP client:
  { "command": "kscrape", "args": ["mcp"] }
A running service has the same tools at /mcp, with its key as a bearer token. docs/mcp.md describes the tools and budgets.`
