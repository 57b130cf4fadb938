// The layer that speaks as a browser: its headers in its order in the place of ours, and what the job itself says on top.
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../header-origins.ts'
import { type FlatHeaders, pairsOf } from '../headers.ts'
import type { HeaderPairs, HeaderSet } from './header-set.ts'

/** `own` is what we would have said on any errand: that, and only that, gives way. */
export const asBrowser =
  (exchange: Exchange, own: readonly Headers[], set: HeaderSet): Exchange =>
  (request, signal) => {
    const { protocol, hostname } = request.url
    const pairs = protocol === 'https:' ? set.secure : isHere(hostname) ? set.here : set.plain
    const headers = dressed(request.headers, own, pairs)
    return exchange({ ...request, headers }, signal)
  }

function dressed(given: FlatHeaders, own: readonly Headers[], browsers: HeaderPairs): FlatHeaders {
  const said = new Map<string, string>()
  const isOwn = (name: string, value: string) => isReplaced(name) && own.some(ours => ours[name] === value)
  for (const [name, value] of pairsOf(given)) if (!isOwn(name, value)) said.set(name, value)
  const list: string[] = []
  for (const [name, value] of browsers) {
    const lower = name.toLowerCase()
    list.push(name, said.get(lower) ?? value)
    said.delete(lower)
  }
  for (const [name, value] of said) list.push(name, value)
  return list as FlatHeaders
}

const isReplaced = (name: string): boolean => ['user-agent', 'accept', 'accept-encoding'].includes(name)

/** Browsers trust this machine's own sites as they trust secure ones. */
const isHere = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.')
