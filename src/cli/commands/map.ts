// kscrape map: the URLs of a site, from its sitemaps and the links of its first pages.
import { type AddCommand, action } from '../command.ts'
import { commonFlags, type FetchFlags, fetchFlags, type ScopeFlags, scopeFlags } from '../flags/flags.ts'

export const addMap: AddCommand = program => {
  commonFlags(fetchFlags(scopeFlags(program.command('map').argument('<url>', 'a page of the site'), '1')))
    .description('list the URLs of a site, one per line, from sitemaps and links')
    .addHelpText('after', notes)
    .action(action(map))
}

const notes = `
Fetches the sitemaps and the given page, and lists the URLs in them. --depth 2 also fetches those pages and
lists their links, and so on; --max-pages limits the number of listed URLs.

Examples:
  kscrape map https://example.com
  kscrape map https://example.com --include '**/blog/**' > urls.txt && kscrape run urls.txt -o posts.jsonl`

async function map(url: string, flags: FetchFlags & ScopeFlags): Promise<void> {
  const { targetsOf } = await import('../flags/targets.ts')
  const { specOf } = await import('../flags/flag-spec.ts')
  const { startSpec } = await import('../jobs/start-job.ts')
  const { printUrls } = await import('../show/print-urls.ts')
  const seedUrls = targetsOf([url], flags)
  const spec = {
    ...specOf(flags),
    seedUrls,
    depth: flags.depth ?? 1,
    results: { raw: 'none' as const },
  }
  await startSpec(flags, spec, { command: `map ${url}`, map: true, lanes: 0, finish: printUrls })
}
