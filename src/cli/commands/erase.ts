// kscrape erase: permanently deletes everything stored about a host.
import { type AddCommand, lazily } from '../command.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

export const addErase: AddCommand = program => {
  serverFlags(lookFlags(program.command('erase')))
    .description('permanently delete all data of a host in all jobs, and print a receipt')
    .requiredOption(
      '--host <host>',
      'example.com on every port, example.com:8080, or *.example.com with its subdomains',
    )
    .option('--dry-run', 'only list what would be deleted')
    .option('--yes', 'really delete; this cannot be undone')
    .option(
      '--and-never-again',
      'also add the host to the do-not-crawl list, so that running tasks of the host end',
    )
    .option('--reason <text>', 'reason, shown in the do-not-crawl list')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/erase.ts')).erase))
}

const notes = `
Deletes records, URLs of tasks, raw pages, screenshots, downloads, cached responses, robots.txt, cookies and webhooks that mention the host. Output files of a service
are rewritten without it. Data of other hosts stays, also in the same jobs. If jobs still request the host, they are named and nothing is deleted, unless --and-never-again is set.
Docs: docs/backup-retention-erasure.md`
