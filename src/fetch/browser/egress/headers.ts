// Headers on their way through the proxy: what belongs to one connection stays on it, the rest goes on as it was written.

/** Says on an answer of the proxy's own which failure it stands for. No website can send it over plain HTTP. */
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

/** Name, value, name, value: as Node reads and writes them, so that order and letter case stay the browser's. */
export type RawHeaders = string[]

/** `host` replaces what the browser wrote: the name that was judged is the name that is asked for. */
export function requestHeaders(raw: RawHeaders, host: string): RawHeaders {
  const named = namedByConnection(raw)
  const kept: RawHeaders = ['Host', host]
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase()
    // In the place where a browser without a proxy says it too.
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

/** Headers that `Connection` declares to be its own. */
function namedByConnection(raw: RawHeaders): string[] {
  const names: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]!.toLowerCase() !== 'connection') continue
    names.push(...raw[at + 1]!.split(',').map(name => name.trim().toLowerCase()))
  }
  return names
}

/** Websites send what Node reads with patience but does not write; a browser would ignore it. */
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}
