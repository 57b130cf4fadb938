// Finds the service that a command should use, if any.
import { Client } from '../client.ts'
import { Failure } from '../model/failures.ts'
import type { CommonFlags, FetchFlags } from './flags/flags.ts'
import { settingsFor } from './jobs/read-data-directory.ts'

/** The client of the service; null means the local data directory. --data-dir has precedence over the environment. */
export async function serviceFor(flags: CommonFlags): Promise<Client | null> {
  if (flags.server !== undefined && flags.dataDir !== undefined)
    throw new Failure('input.invalid', '--server and --data-dir cannot be combined; use only one of them')
  const { settings } = await settingsFor(flags)
  const server = flags.server ?? (flags.dataDir === undefined ? settings.server : undefined)
  if (server === undefined) return null
  return new Client({ server, apiKey: flags.apiKey ?? settings.apiKey ?? settings.serviceKey })
}

/** The client of the service, for commands that need one. Throws if none is named. */
export async function serviceNeeded(flags: CommonFlags, what: string): Promise<Client> {
  const service = await serviceFor(flags)
  if (service) return service
  throw new Failure(
    'input.invalid',
    `${what} are stored by a service: start one with \`kscrape serve\` and name it with --server http://127.0.0.1:8001 or SCRAPER_SERVER`,
  )
}

/** Refuses flags that only work locally, instead of ignoring them. */
export function refuseLocalFlags(flags: FetchFlags): void {
  if (flags.allowPrivate !== undefined)
    throw new Failure(
      'input.invalid',
      '--allow-private works only locally; the operator of the service must start the service with --allow-private, or set SCRAPER_ALLOW_PRIVATE',
    )
  if (flags.proxy)
    throw new Failure(
      'input.invalid',
      '--proxy works only locally; the operator of the service sets SCRAPER_PROXIES, and a job can name proxies in policy.proxy.urls',
    )
  if (flags.cookies !== undefined)
    throw new Failure(
      'input.invalid',
      '--cookies names a file on this machine, which the service cannot read; use --header',
    )
}
