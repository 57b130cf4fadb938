// A fast path for simple links, which need no resolving or decoding. If it is unsure, it returns -1 or null, and the WHATWG parser
// decides. A property test checks that both give the same result.
import { type CanonicalOptions, isCleanQuery } from './parameters.ts'

/** Longer URLs use the slow path, which checks the length limits. */
const maxPlainLength = 2_048

const hash = 0x23
const dot = 0x2e
const slash = 0x2f
const question = 0x3f

/** By character code: 1 if the WHATWG parser never changes this character in a path or query. */
const plain = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~/!$&*+,:=@') {
  plain[character.charCodeAt(0)] = 1
}

/** Hosts that the WHATWG parser does not change. The last label of a name must start with a letter, so that it is not numeric. IPv4
 *  addresses must be in normal form. Default ports do not match, because the parser removes them. */
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const plainHost = new RegExp(
  `^(?:(?:[a-z0-9_-]+\\.)*[a-z][a-z0-9-]*|${octet}(?:\\.${octet}){3})(?::[1-5]?[1-9]\\d{3})?$`,
)

/** Where the canonical part of `text` ends, if the path starts at `at`. -1 if this is unsure. */
export function plainEnd(text: string, at: number, options: CanonicalOptions): number {
  let end = text.length
  if (end > maxPlainLength) return -1
  let queryAt = -1
  for (let index = at; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code < 128 && plain[code] === 1) continue
    if (code === dot) {
      // A path segment that starts with a dot may be "." or "..".
      if (queryAt < 0 && (index === at || text.charCodeAt(index - 1) === slash)) return -1
    } else if (code === question) {
      if (queryAt < 0) queryAt = index
    } else if (code === hash) end = index
    else return -1
  }
  return queryAt < 0 || isCleanQuery(text, queryAt + 1, end, options.query) ? end : -1
}

/** Where the canonical part of an absolute URL ends. -1 if this is unsure, for example because the host is not canonical. */
export function plainAbsoluteEnd(text: string, options: CanonicalOptions): number {
  const start = text.startsWith('https://') ? 8 : text.startsWith('http://') ? 7 : 0
  if (start === 0) return -1
  const pathAt = text.indexOf('/', start)
  return pathAt >= 0 && isPlainHost(text.slice(start, pathAt)) ? plainEnd(text, pathAt, options) : -1
}

export function plainAbsolute(text: string, options: CanonicalOptions): string | null {
  const end = plainAbsoluteEnd(text, options)
  return end < 0 ? null : text.slice(0, end)
}

function isPlainHost(host: string): boolean {
  return host.length <= 253 && plainHost.test(host) && !host.includes('xn--')
}
