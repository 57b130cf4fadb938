// kscrape map: the URLs of a site, from its sitemaps and the links of its first pages.
import { type AddCommand, action } from './commands.ts'
import { type FetchFlags, fetchFlags, type ScopeFlags, scopeFlags, specOf } from './flags.ts'

export const addMap: AddCommand = program => {
  scopeFlags(fetchFlags(program.command('map').argument('<url>', 'the site')))
    .description('the URLs of a site, one a line, from sitemaps and links')
    .action(action(map))
}

async function map(url: string, flags: FetchFlags & ScopeFlags): Promise<void> {
  const { startSpec } = await import('./start-job.ts')
  const { printUrls } = await import('./print-urls.ts')
  const spec = {
    ...specOf(flags),
    seedUrls: [url],
    depth: flags.depth ?? 1,
    results: { raw: 'none' as const },
  }
  await startSpec(flags, spec, { command: `map ${url}`, map: true, lanes: 0, finish: printUrls })
}
