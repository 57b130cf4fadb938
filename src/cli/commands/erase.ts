// kscrape erase: everything that was kept of a host goes, for good.
import { type AddCommand, lazily } from '../command.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

export const addErase: AddCommand = program => {
  serverFlags(lookFlags(program.command('erase')))
    .description('delete everything stored about a host in all jobs, permanently; prints a receipt')
    .requiredOption(
      '--host <host>',
      'example.com on every port, example.com:8080, or *.example.com with its subdomains',
    )
    .option('--dry-run', 'only list what would be deleted')
    .option('--yes', 'really delete; this cannot be undone')
    .option('--and-never-again', 'also add it to the do-not-crawl list, which ends its running tasks')
    .option('--reason <text>', 'the reason, for that list')
    .addHelpText('after', notes)
    .action(lazily(async () => (await import('../actions/erase.ts')).erase))
}

const notes = `
Records, addresses of tasks, raw pages, screenshots, downloads, remembered answers, robots.txt, cookies, webhooks that speak of it, and files that a service made
(written anew without it). Other hosts keep what they have, in the same jobs too. Jobs that still work at the host are named and nothing is done, unless it is never to be asked again.
Docs: docs/backup-retention-erasure.md`
