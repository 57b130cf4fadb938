// kscrape do-not-crawl: hosts that no job requests, and opt-out requests of site owners.
import { listingStates } from '../../model/conduct.ts'
import { type AddCommand, lazily } from '../command.ts'
import { oneOf } from '../flags/flag-values.ts'
import { lookFlags, serverFlags, steerFlags } from '../flags/flags.ts'

const doing = () => import('../actions/do-not-crawl.ts')

export const addDoNotCrawl: AddCommand = program => {
  const lists = program
    .command('do-not-crawl')
    .description('manage the do-not-crawl lists and the requests of site owners')
  serverFlags(lookFlags(lists.command('list')))
    .description('list the entries, newest first')
    .option('--list <deny|allow>', 'only entries of this list', oneOf(['deny', 'allow']))
    .option(
      '--status <status>',
      `only entries with this status: ${listingStates.join(', ')}`,
      oneOf(listingStates),
    )
    .action(lazily(async () => (await doing()).list))
  serverFlags(
    steerFlags(lists.command('add').argument('<pattern>', 'example.com, *.example.com or example.com/path')),
  )
    .description('add an entry; it applies at once, also to running jobs')
    .option('--allow', 'add to the allow list; if that list has entries, jobs request only those hosts')
    .option('--reason <text>', 'why the entry is added; shown in the do-not-crawl list')
    .action(lazily(async () => (await doing()).add))
  serverFlags(steerFlags(lists.command('remove').argument('<entry>', 'id or pattern of the entry')))
    .description('remove an entry')
    .action(lazily(async () => (await doing()).remove))
  addRequests(lists.command('requests').description('manage pending requests of site owners'))
}

const addRequests: AddCommand = requests => {
  serverFlags(lookFlags(requests.command('list')))
    .description('list the pending requests')
    .action(lazily(async () => (await doing()).listRequests))
  serverFlags(steerFlags(requests.command('approve').argument('<entry>', 'id of the request')))
    .description('approve a request; it applies at once')
    .action(lazily(async () => (await doing()).approve))
  serverFlags(steerFlags(requests.command('refuse').argument('<entry>', 'id of the request')))
    .description('refuse a request')
    .action(lazily(async () => (await doing()).refuse))
}
