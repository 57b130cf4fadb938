// Credentials of this process: from local secrets first, then from the backend.
import { join, resolve } from 'node:path'
import { firstOf, localCredentials } from '../../adapters/fs/credentials.ts'
import { openSecrets } from '../../adapters/fs/secrets.ts'
import { openBackendCredentials } from '../../adapters/http/credentials.ts'
import { environmentSecrets } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { EgressGate, type HttpFetch, openHttpFetch } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { defaultWorkspace } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import type { Credentials, Secrets } from '../../ports/secrets.ts'
import type { CredentialsBackend, LaneStart } from './lane-messages.ts'

/** Each thread reads the environment itself, so that secrets are never sent in messages, which could be logged. */
export const localSecrets = (dataDir: string, secretsFile: string | null | undefined): Secrets =>
  openSecrets({
    environment: environmentSecrets(),
    file: resolve(secretsFile ?? join(dataDir, 'secrets.env')),
    isNamed: typeof secretsFile === 'string',
  })

export function credentialsBackendOf(settings: Settings): CredentialsBackend | null {
  const { credentialsUrl: url, credentialsKey, serviceKey: ownKey, credentialsTtl: ttlMs } = settings
  if (url === undefined) return null
  const serviceKey = credentialsKey ?? ownKey
  if (serviceKey !== undefined) return { url, serviceKey, ttlMs }
  throw new Failure(
    'input.invalid',
    'SCRAPER_CREDENTIALS_URL needs SCRAPER_CREDENTIALS_KEY, the key that the backend accepts',
  )
}

type Start = Pick<LaneStart, 'dataDir' | 'secretsFile' | 'credentials' | 'caFile'>

/** Reads and requests credentials only when a scraper needs them. */
export function openCredentials({
  dataDir,
  secretsFile,
  credentials,
  caFile,
}: Start): Credentials & AsyncDisposable {
  const own = localCredentials(localSecrets(dataDir, secretsFile), defaultWorkspace)
  const http = credentials ? backendFetch(credentials.url, caFile) : null
  const all =
    credentials && http
      ? [own, openBackendCredentials({ ...credentials, fetch: http.fetch, clock: systemClock })]
      : [own]
  return { ...firstOf(all), [Symbol.asyncDispose]: async () => http?.[Symbol.asyncDispose]() }
}

/** The operator configured the address of the backend, so a private address is allowed. */
function backendFetch(url: string, caFile: string | null): HttpFetch {
  const { hostname, port } = new URL(url)
  const gate = new EgressGate({ allowPrivate: [`${hostname}:${port || 443}`] })
  return openHttpFetch({ gate, userAgent: userAgentOf({}), ...(caFile !== null && { caFile }) })
}
