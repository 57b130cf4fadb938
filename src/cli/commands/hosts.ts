// kscrape hosts: how sites stand with a service, and what is set for them.
import { parseRate } from '../../lib/text/units.ts'
import { type AddCommand, lazily } from '../command.ts'
import { parsed, whole } from '../flags/flag-values.ts'
import { serviceFlags } from '../flags/flags.ts'

const doing = () => import('../actions/hosts.ts')

export const addHosts: AddCommand = program => {
  const hosts = program
    .command('hosts')
    .description('how hosts stand with a service: look, pause, set a policy')
  serviceFlags(hosts.command('list'))
    .description('the hosts that were asked, by name')
    .action(lazily(async () => (await doing()).list))
  serviceFlags(hosts.command('show').argument('<host>'))
    .description('pace, robots.txt, breaker and last errors of a host')
    .action(lazily(async () => (await doing()).show))
  serviceFlags(hosts.command('pause').argument('<host>'))
    .description('ask nothing of it, until it is resumed')
    .option('--reason <text>', 'why, for whoever asks')
    .option('--until <time>', 'go on by itself then (ISO 8601)')
    .action(lazily(async () => (await doing()).pause))
  serviceFlags(hosts.command('resume').argument('<host>'))
    .description('ask it again')
    .action(lazily(async () => (await doing()).resume))
  serviceFlags(hosts.command('policy').alias('set').argument('<host>'))
    .description(
      'set how it may be asked, over the file of domain policies; without flags, go back to the file',
    )
    .option('--rate <n/s>', 'requests per second, like 2/s or 30/m', parsed(parseRate))
    .option('--concurrency <n>', 'requests at a time', whole(1, 10_000))
    .action(lazily(async () => (await doing()).policy))
}
