// The actions of kscrape proxies.
import type { ProxyShown } from '../../client.ts'
import { Failure } from '../../model/failures.ts'
import { mapKeys, snake } from '../../model/letter-case.ts'
import { type KnownProxy, knownProxies, type TriedProxy, tryProxies } from '../../roles/local/try-proxies.ts'
import type { CommonFlags, FetchFlags } from '../flags/flags.ts'
import { settingsFor } from '../jobs/read-data-directory.ts'
import { print, printJson } from '../print.ts'
import { refuseLocalFlags, serviceFor } from '../service.ts'
import { table } from '../show/job-tables.ts'

export async function list(flags: CommonFlags): Promise<void> {
  const service = await serviceFor(flags)
  if (service) return printHealth(flags, await service.proxies.list())
  const found = knownProxies((await settingsFor(flags)).settings)
  if (flags.json) for (const proxy of found) printJson(mapKeys(proxy, snake))
  else if (found.length === 0) print(none)
  else print(table(['proxy', 'of', 'country', 'user'], found.map(knownRow)))
}

type TestFlags = CommonFlags & Pick<FetchFlags, 'allowPrivate'>

export async function test(url: string | undefined, flags: TestFlags): Promise<void> {
  const service = await serviceFor(flags)
  if (!service) return testHere(url, flags)
  refuseLocalFlags(flags)
  if (url !== undefined)
    throw new Failure(
      'input.invalid',
      'a service checks its proxies without a page; leave out the URL or --server',
    )
  printHealth(flags, await service.proxies.check())
}

async function testHere(url: string | undefined, flags: TestFlags): Promise<void> {
  const tried = await tryProxies((await settingsFor(flags)).settings, url ?? null)
  if (tried.length === 0) throw new Failure('input.invalid', none)
  if (flags.json) for (const proxy of tried) printJson(mapKeys(proxy, snake))
  else print(table(['proxy', 'of', 'works', 'time', 'what'], tried.map(triedRow)))
  if (tried.every(({ works }) => !works))
    throw new Failure('proxy.none-healthy', `none of the ${tried.length} proxies works`)
}

const none = 'no proxies are configured; set SCRAPER_PROXIES or SCRAPER_PROXIES_FILE (docs/proxies.md)'

function printHealth(flags: CommonFlags, proxies: ProxyShown[]): void {
  if (flags.json) for (const proxy of proxies) printJson(mapKeys(proxy, snake))
  else if (proxies.length === 0) print('the service has no proxies')
  else print(table(['proxy', 'of', 'state', 'worked', 'failed'], proxies.map(healthRow)))
}

export const healthRow = ({ name, source, healthy, trouble, successes, failures }: ProxyShown): string[] => [
  ...[name, source, healthy ? 'healthy' : `unhealthy: ${trouble}`, String(successes), String(failures)],
]

export const knownRow = ({ name, source, country, hasUser }: KnownProxy): string[] => [
  ...[name, source, country ?? '', hasUser ? 'yes' : 'no'],
]

export const triedRow = ({ name, source, works, ms, trouble, status }: TriedProxy): string[] => [
  ...[name, source, works ? 'yes' : 'no', `${ms} ms`],
  trouble ?? (status === null ? 'reached' : `the page answered ${status}`),
]
