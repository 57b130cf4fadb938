// kscrape proxies: lists and checks proxies.
import { type AddCommand, lazily } from '../command.ts'
import { gathered } from '../flags/flag-values.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

const doing = () => import('../actions/proxies.ts')

export const addProxies: AddCommand = program => {
  const proxies = program
    .command('proxies')
    .description('list and test the proxies of SCRAPER_PROXIES and SCRAPER_PROXIES_FILE')
  serverFlags(lookFlags(proxies.command('list')))
    .description('list the proxies; for a service also their health and success counts')
    .action(lazily(async () => (await doing()).list))
  serverFlags(lookFlags(proxies.command('test').argument('[url]', 'a page to fetch through each of them')))
    .option('--allow-private <host:port>', 'allow this private address (repeatable)', gathered)
    .description('check each proxy: connect to it, or fetch a page through it')
    .action(lazily(async () => (await doing()).test))
}
