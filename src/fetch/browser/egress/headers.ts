// Headers on their way through the proxy: what belongs to one connection stays on it, the rest goes on as it was written.

/** Says on an answer of the proxy's own which failure it stands for. No website can send it over plain HTTP. */
export const failureHeader = 'x-kscrape-failure'

const connectionOnly = new Set([
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
  const dropped = connectionHeaders(raw)
  const kept: RawHeaders = ['Host', host]
  for (const [name, value] of pairs(raw)) {
    // In the place where a browser without a proxy says it too.
    if (name.toLowerCase() === 'proxy-connection') kept.push('Connection', 'keep-alive')
    else if (name.toLowerCase() !== 'host' && !dropped.has(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

export function responseHeaders(raw: RawHeaders): RawHeaders {
  const dropped = connectionHeaders(raw).add(failureHeader)
  const kept: RawHeaders = []
  for (const [name, value] of pairs(raw)) {
    if (!dropped.has(name.toLowerCase()) && isSendable(name, value)) kept.push(name, value)
  }
  return kept
}

/** The known ones and those that `Connection` names. */
function connectionHeaders(raw: RawHeaders): Set<string> {
  const names = new Set(connectionOnly)
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() !== 'connection') continue
    for (const listed of value.split(',')) names.add(listed.trim().toLowerCase())
  }
  return names
}

/** Websites send what Node reads with patience but does not write; a browser would ignore it. */
function isSendable(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && !/[^\t\x20-\x7e\x80-\xff]/.test(value)
}

function* pairs(raw: RawHeaders): Generator<[name: string, value: string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at]!, raw[at + 1]!]
}
