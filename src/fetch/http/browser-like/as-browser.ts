// The layer that speaks as a browser: its headers in its order in the place of ours, and what the job itself says on top.
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../headers.ts'
import type { HeaderPairs, HeaderSet } from './header-set.ts'

/** `own` is what we would have said: that, and only that, gives way. */
export const asBrowser =
  (exchange: Exchange, own: Headers, set: HeaderSet): Exchange =>
  (request, signal) => {
    const { protocol, hostname } = request.url
    const pairs = protocol === 'https:' ? set.secure : isHere(hostname) ? set.here : set.plain
    const headers = dressed(request.headers, own, pairs)
    return exchange({ ...request, headers }, signal)
  }

function dressed(given: string[], own: Headers, browsers: HeaderPairs): string[] {
  const said = new Map<string, string>()
  for (let at = 0; at + 1 < given.length; at += 2)
    if (own[given[at]!] !== given[at + 1] || !isReplaced(given[at]!)) said.set(given[at]!, given[at + 1]!)
  const list: string[] = []
  for (const [name, value] of browsers) {
    const lower = name.toLowerCase()
    list.push(name, said.get(lower) ?? value)
    said.delete(lower)
  }
  for (const [name, value] of said) list.push(name, value)
  return list
}

const isReplaced = (name: string): boolean => ['user-agent', 'accept', 'accept-encoding'].includes(name)

/** Browsers trust this machine's own sites as they trust secure ones. */
const isHere = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.')
