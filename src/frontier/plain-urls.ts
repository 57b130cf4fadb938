// The shortcut for the links that most pages are made of: plain characters, nothing to resolve, nothing to decode.
// Everything here answers null when it is not sure; the WHATWG parser then does the work. A property test holds
// both ways to the same answers.
import { type CanonicalOptions, cleanQuery } from './parameters.ts'

/** Longer ones go the whole way, which knows about limits. */
const maxPlainLength = 2_048

const hash = 0x23
const dot = 0x2e
const slash = 0x2f
const question = 0x3f

/** 1: the standard writes it as it stands in a path and in a query, and so do we. */
const plain = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~/!$&*+,:=@') {
  plain[character.charCodeAt(0)] = 1
}

/** One label that starts with a letter comes last: no number for the standard to read as an address. */
const plainHost = /^(?:[a-z0-9_-]+\.)*[a-z][a-z0-9-]*$/

/** `prefix` (scheme, host, and a canonical directory if any) and what follows from `at`, which is a path's rest. */
export function appendPlain(
  prefix: string,
  text: string,
  at: number,
  options: CanonicalOptions,
): string | null {
  const length = text.length
  if (length > maxPlainLength) return null
  let end = length
  let queryAt = -1
  for (let index = at; index < length; index++) {
    const code = text.charCodeAt(index)
    if (code < 128 && plain[code] === 1) continue
    if (code === dot) {
      // A segment that starts with a dot may be "." or "..".
      if (queryAt < 0 && (index === at || text.charCodeAt(index - 1) === slash)) return null
    } else if (code === question) {
      if (queryAt < 0) queryAt = index
    } else if (code === hash) {
      end = index
      break
    } else return null
  }
  if (queryAt < 0) return prefix + text.slice(at, end)
  const query = cleanQuery(text.slice(queryAt + 1, end), options.query)
  const path = prefix + text.slice(at, queryAt)
  return query === '' ? path : `${path}?${query}`
}

/** An absolute URL whose host is written the canonical way already. */
export function plainAbsolute(text: string, options: CanonicalOptions): string | null {
  const start = text.startsWith('https://') ? 8 : text.startsWith('http://') ? 7 : 0
  if (start === 0) return null
  const pathAt = text.indexOf('/', start)
  if (pathAt < 0 || !isPlainHost(text.slice(start, pathAt))) return null
  return appendPlain(text.slice(0, pathAt), text, pathAt, options)
}

function isPlainHost(host: string): boolean {
  return host.length <= 253 && plainHost.test(host) && !host.includes('xn--')
}
