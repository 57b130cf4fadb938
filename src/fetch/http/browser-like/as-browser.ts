// A fetch layer that sends the headers of a browser, in the browser's order. Headers of the job override them.
import type { Exchange } from '../exchange.ts'
import type { Headers } from '../header-origins.ts'
import { type FlatHeaders, pairsOf } from '../headers.ts'
import type { HeaderPairs, HeaderSet } from './header-set.ts'

/** `own` lists our default headers for each purpose. Only headers with these default values are replaced by the
 *  browser's. */
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

/** Browsers trust sites on loopback as they trust sites over TLS. */
const isHere = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || host.startsWith('127.')
