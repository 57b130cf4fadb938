// Checks that a requester controls a site: in DNS, and on the site through the egress gate.
import type { Settings } from '../config/settings.ts'
import { EgressGate, lookUpTexts, openHttpFetch } from '../fetch/http/index.ts'
import { userAgentOf } from '../lib/user-agent.ts'
import { proveOwnership } from '../pipeline/coordinate/prove-ownership.ts'
import type { Ownership } from '../server/parts.ts'

export function openOwnership(settings: Settings): Ownership & AsyncDisposable {
  const { allowPrivate, caFile } = settings
  const http = openHttpFetch({
    gate: new EgressGate({ allowPrivate }),
    userAgent: userAgentOf(settings),
    ...(caFile !== undefined && { caFile }),
  })
  return {
    prove: (host, token) => proveOwnership({ fetch: http.fetch, lookUpTexts }, host, token),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
