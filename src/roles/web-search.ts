// The operator's search engine. It has its own egress gate, which allows only the engine's address, often a private one.
import type { Settings } from '../config/settings.ts'
import { EgressGate, openHttpFetch } from '../fetch/http/index.ts'
import { userAgentOf } from '../lib/user-agent.ts'
import { searxng, type WebSearch } from '../pipeline/report/web-search.ts'

type SearchSettings = Pick<Settings, 'searxngUrl' | 'caFile' | 'userAgent' | 'contact'>

/** Null if no search engine is configured. */
export function openWebSearch(settings: SearchSettings): (WebSearch & AsyncDisposable) | null {
  const { searxngUrl, caFile } = settings
  if (searxngUrl === undefined) return null
  const { hostname, port, protocol } = new URL(searxngUrl)
  const place = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  const http = openHttpFetch({
    gate: new EgressGate({ allowPrivate: [place] }),
    userAgent: userAgentOf(settings),
    ...(caFile !== undefined && { caFile }),
  })
  return {
    ...searxng(http.fetch, searxngUrl),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
