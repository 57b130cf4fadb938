// Flags for proxies and identities, and their effect on a job.

import type { Command } from 'commander'
import { defined } from '../../lib/defined.ts'
import { parseDuration } from '../../lib/text/units.ts'
import type { JobSpecInput } from '../../model/job.ts'
import { type ProxyRotation, proxyRotations } from '../../model/policy/proxy.ts'
import { gathered, oneOf, parsed, whole } from './flag-values.ts'

export interface ProxyFlags {
  /** Proxy URLs; false for `--no-proxy`. */
  proxy?: string[] | false
  proxyType?: string
  country?: string
  state?: string
  city?: string
  proxyRotation?: ProxyRotation
  proxyRest?: number
  identities?: number
  browserHeaders?: boolean
  browserTls?: boolean
}

export const proxyFlags = (command: Command): Command =>
  command
    .optionsGroup('Proxies and identities:')
    .option(
      '--proxy <url>',
      'use this proxy: http://, https:// or socks5:// (repeatable; replaces SCRAPER_PROXIES; not stored with the job)',
      gathered,
    )
    .option('--no-proxy', 'connect directly, even if SCRAPER_PROXIES is set')
    .option('--proxy-type <type>', 'proxies of a provider: datacenter, residential, web-unlocker')
    .option('--country <cc>', 'the country of the proxy, like de')
    .option('--state <name>', 'the state of the proxy; not every type supports it')
    .option('--city <name>', 'the city of the proxy; not every type supports it')
    .option(
      '--proxy-rotation <order>',
      'the order of proxies: round-robin, random or sticky (default round-robin)',
      oneOf(proxyRotations),
    )
    .option(
      '--proxy-rest <duration>',
      'how long a proxy rests for a host after use (default 30s; 0s: no rest)',
      parsed(parseDuration),
    )
    .option('--identities <n>', 'use this many identities, each with its own cookies', whole(1, 10_000))
    .option('--browser-headers', 'send the headers of a browser instead of our own (recorded in the job)')
    .option('--browser-tls', 'use the TLS handshake of a browser (recorded in the job)')

/** The part of the proxy flags that is stored with the job. */
export function proxyPolicyOf(flags: ProxyFlags): NonNullable<JobSpecInput['policy']> {
  const { proxyType: type, country, state, city, proxyRotation: rotation, proxyRest: restMs } = flags
  const proxy = {
    ...(flags.proxy === false && { use: 'never' as const }),
    ...defined({ type, country, state, city, rotation, restMs }),
  }
  const identity = {
    ...defined({ count: flags.identities }),
    ...(flags.browserHeaders && { headers: 'browser' as const }),
    ...(flags.browserTls && { tls: 'browser' as const }),
  }
  return {
    ...(Object.keys(proxy).length > 0 && { proxy }),
    ...(Object.keys(identity).length > 0 && { identity }),
  }
}
