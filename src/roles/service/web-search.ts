// The operator's search engine. It has its own egress gate, which allows only the engine's address. That address is
// often private.
import type { Settings } from '../../config/settings.ts'
import { searxng, type WebSearch } from '../../pipeline/report/web-search.ts'
import { openHttpTo } from './own-http.ts'

type SearchSettings = Pick<Settings, 'searxngUrl' | 'caFile' | 'userAgent' | 'contact'>

/** Null if no search engine is configured. */
export function openWebSearch(settings: SearchSettings): (WebSearch & AsyncDisposable) | null {
  const { searxngUrl } = settings
  if (searxngUrl === undefined) return null
  const http = openHttpTo(settings, searxngUrl)
  return {
    ...searxng(http.fetch, searxngUrl),
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}
