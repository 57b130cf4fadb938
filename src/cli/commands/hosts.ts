// kscrape hosts: the state of hosts at a service, and their overrides.
import { parseRate } from '../../lib/text/units.ts'
import { type AddCommand, lazily } from '../command.ts'
import { parsed, whole } from '../flags/flag-values.ts'
import { serviceFlags } from '../flags/flags.ts'

const doing = () => import('../actions/hosts.ts')

export const addHosts: AddCommand = program => {
  const hosts = program
    .command('hosts')
    .description('show and pause the hosts of a service, and set their policies')
  serviceFlags(hosts.command('list'))
    .description('list the known hosts by name')
    .action(lazily(async () => (await doing()).list))
  serviceFlags(hosts.command('show').argument('<host>'))
    .description('show rate, robots.txt, breaker and last errors of a host')
    .action(lazily(async () => (await doing()).show))
  serviceFlags(hosts.command('pause').argument('<host>'))
    .description('send no requests to a host until it is resumed')
    .option('--reason <text>', 'why the host is paused; `hosts show` prints this reason')
    .option('--until <time>', 'resume at this time (ISO 8601)')
    .action(lazily(async () => (await doing()).pause))
  serviceFlags(hosts.command('resume').argument('<host>'))
    .description('resume requests to a host')
    .action(lazily(async () => (await doing()).resume))
  serviceFlags(hosts.command('policy').alias('set').argument('<host>'))
    .description('override the domain policies for a host; without flags, remove the override')
    .option('--rate <n/s>', 'requests per second, like 2/s or 30/m', parsed(parseRate))
    .option('--concurrency <n>', 'maximum number of requests in flight', whole(1, 10_000))
    .action(lazily(async () => (await doing()).policy))
}
