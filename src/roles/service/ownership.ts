// Checks that a requester controls a site: in DNS, and on the site through the egress gate.
import type { Settings } from '../../config/settings.ts'
import { lookUpTexts } from '../../fetch/http/index.ts'
import { proveOwnership } from '../../pipeline/coordinate/prove-ownership.ts'
import type { Ownership } from '../../server/parts.ts'
import { openOwnHttp } from './own-http.ts'

export function openOwnership(settings: Settings): Ownership & AsyncDisposable {
  const http = openOwnHttp(settings, settings.allowPrivate)
  return {
    prove: (host, token) => proveOwnership({ fetch: http.fetch, lookUpTexts }, host, token),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
