// kscrape proxies: which there are, and whether they work.
import { type AddCommand, lazily } from '../command.ts'
import { lookFlags, serverFlags } from '../flags/flags.ts'

const doing = () => import('../actions/proxies.ts')

export const addProxies: AddCommand = program => {
  const proxies = program
    .command('proxies')
    .description('the proxies of SCRAPER_PROXIES and SCRAPER_PROXIES_FILE: list and test')
  serverFlags(lookFlags(proxies.command('list')))
    .description('which there are; of a service also how they are doing, and how often they worked')
    .action(lazily(async () => (await doing()).list))
  serverFlags(lookFlags(proxies.command('test').argument('[url]', 'a page to fetch through each of them')))
    .description('try each of them now: by connecting, or by fetching a page')
    .action(lazily(async () => (await doing()).test))
}
