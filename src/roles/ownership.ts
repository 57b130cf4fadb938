// Whether whoever asks to be left alone has a say over the site: looked up in DNS, and on the site through the egress gate.
import type { Settings } from '../config/settings.ts'
import { EgressGate, lookUpTexts, openHttpFetch } from '../fetch/http/index.ts'
import { proveOwnership } from '../pipeline/prove-ownership.ts'
import type { Ownership } from '../server/parts.ts'
import { userAgentOf } from './user-agent.ts'

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
