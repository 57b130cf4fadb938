// Headers in the proxy. Hop-by-hop headers are removed, and Host gets the checked name. All others pass unchanged.

/** Header with the failure code in a response of the proxy itself. The proxy removes it from the responses of sites. */
export const failureHeader = 'x-kscrape-failure'

const connectionOnly: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Node's raw form: name, value, name, value. It preserves the browser's order and letter case. */
export type RawHeaders = string[]

/** `host` replaces the browser's Host header, so that the site receives the name that was checked. */
export function requestHeaders(raw: RawHeaders, host: string): RawHeaders {
  const named = namedByConnection(raw)
  const kept: RawHeaders = ['Host', host]
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    // Place the header where a browser without a proxy sends it.
    if (name === 'proxy-connection') kept.push('Connection', 'keep-alive')
    else if (name !== 'host' && !connectionOnly.has(name) && !named.includes(name))
      kept.push(raw[at]!, raw[at + 1]!)
  }
  return kept
}

export function responseHeaders(raw: RawHeaders): RawHeaders {
  const named = namedByConnection(raw)
  const kept: RawHeaders = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    const isOurs = connectionOnly.has(name) || name === failureHeader || named.includes(name)
    if (!isOurs && isSendable(name, raw[at + 1]!)) kept.push(raw[at]!, raw[at + 1]!)
  }
  return kept
}

/** Headers that `Connection` declares as hop-by-hop. */
function namedByConnection(raw: RawHeaders): string[] {
  const names: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]!.toLowerCase() !== 'connection') continue
    names.push(...raw[at + 1]!.split(',').map(name => name.trim().toLowerCase()))
  }
  return names
}

/** Node parses some invalid headers but refuses to write them. They are dropped, because a browser would ignore them. */
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}
