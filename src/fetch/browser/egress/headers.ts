// Headers in the proxy: hop-by-hop headers stay, all others pass unchanged.

/** Names the failure in a response of the proxy itself. Sites cannot send it over plain HTTP. */
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

/** Name, value, name, value: Node's raw form, which keeps the browser's order and letter case. */
export type RawHeaders = string[]

/** `host` replaces the browser's Host header: the checked name is the requested name. */
export function requestHeaders(raw: RawHeaders, host: string): RawHeaders {
  const named = namedByConnection(raw)
  const kept: RawHeaders = ['Host', host]
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    // At the position where a browser without a proxy sends it.
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

/** Node reads some invalid headers but does not write them; a browser would ignore them. */
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}
