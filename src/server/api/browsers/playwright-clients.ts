// Checks the version of a client that uses Playwright's own protocol, because the protocol changes with every minor
// version of Playwright.
import type { IncomingMessage } from 'node:http'
import { Failure } from '../../../model/failures.ts'

/** The minor version of `playwright-core` that serves /playwright. */
export const servedVersion = '1.65'

/** A user agent looks like `Playwright/1.65.0 (x64; ubuntu 24.04) node/24.1`. */
const agent = /Playwright\/(\d+\.\d+)/

/** The error for a client of another version; null if the service supports the version of the client. */
export function refusedClient({ headers }: Pick<IncomingMessage, 'headers'>): Failure | null {
  const version = agent.exec(headers['user-agent'] ?? '')?.[1]
  if (version === servedVersion) return null
  const theirs = version === undefined ? 'did not say its version' : `is version ${version}`
  return new Failure(
    'request.unsupported',
    `/playwright serves clients of Playwright ${servedVersion}, and this client ${theirs}. Use Playwright ${servedVersion}, or connect any version with chromium.connectOverCDP('ws://HOST/cdp?token=KEY')`,
    { served: servedVersion, client: version ?? null },
  )
}
