// kscrape do-not-crawl: what no job asks for, and what site owners ask for.
import { listingStates } from '../../model/conduct.ts'
import { type AddCommand, lazily } from '../command.ts'
import { oneOf } from '../flags/flag-values.ts'
import { lookFlags, serverFlags, steerFlags } from '../flags/flags.ts'

const doing = () => import('../actions/do-not-crawl.ts')

export const addDoNotCrawl: AddCommand = program => {
  const lists = program
    .command('do-not-crawl')
    .description('what no job asks for: the lists, and requests of site owners to be left alone')
  serverFlags(lookFlags(lists.command('list')))
    .description('the lists, newest first')
    .option('--list <deny|allow>', 'only this one', oneOf(['deny', 'allow']))
    .option('--status <status>', `only these: ${listingStates.join(', ')}`, oneOf(listingStates))
    .action(lazily(async () => (await doing()).list))
  serverFlags(
    steerFlags(lists.command('add').argument('<pattern>', 'example.com, *.example.com or example.com/path')),
  )
    .description('enter a place: in force at once, for jobs that run too')
    .option('--allow', 'into the allow list: where it has entries, nothing else is asked')
    .option('--reason <text>', 'why, for whoever asks')
    .action(lazily(async () => (await doing()).add))
  serverFlags(
    steerFlags(lists.command('remove').argument('<entry>', 'its id, or the pattern as it is listed')),
  )
    .description('take an entry off the lists')
    .action(lazily(async () => (await doing()).remove))
  addRequests(lists.command('requests').description('what site owners asked for, and nobody decided on yet'))
}

const addRequests: AddCommand = requests => {
  serverFlags(lookFlags(requests.command('list')))
    .description('the requests that wait')
    .action(lazily(async () => (await doing()).listRequests))
  serverFlags(steerFlags(requests.command('approve').argument('<entry>', 'its id')))
    .description('agree: in force at once')
    .action(lazily(async () => (await doing()).approve))
  serverFlags(steerFlags(requests.command('refuse').argument('<entry>', 'its id')))
    .description('turn it down')
    .action(lazily(async () => (await doing()).refuse))
}
