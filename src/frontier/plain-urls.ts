// A fast path for plain links without anything to resolve or decode. It returns -1 or null if it is unsure; the WHATWG parser
// then decides. A property test checks that both agree.
import { type CanonicalOptions, isCleanQuery } from './parameters.ts'

/** Longer URLs use the slow path, which checks limits. */
const maxPlainLength = 2_048

const hash = 0x23
const dot = 0x2e
const slash = 0x2f
const question = 0x3f

/** 1: the standard does not change this character in a path or query. */
const plain = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~/!$&*+,:=@') {
  plain[character.charCodeAt(0)] = 1
}

/** Names end in a label that starts with a letter, so they are not numeric; addresses are in normal form. Only ports that
 *  are not a default. */
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const plainHost = new RegExp(
  `^(?:(?:[a-z0-9_-]+\\.)*[a-z][a-z0-9-]*|${octet}(?:\\.${octet}){3})(?::[1-5]?[1-9]\\d{3})?$`,
)

/** `text` from `at` is the rest of a path. It is canonical up to the returned index. */
export function plainEnd(text: string, at: number, options: CanonicalOptions): number {
  let end = text.length
  if (end > maxPlainLength) return -1
  let queryAt = -1
  for (let index = at; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code < 128 && plain[code] === 1) continue
    if (code === dot) {
      // A segment that starts with a dot may be "." or "..".
      if (queryAt < 0 && (index === at || text.charCodeAt(index - 1) === slash)) return -1
    } else if (code === question) {
      if (queryAt < 0) queryAt = index
    } else if (code === hash) end = index
    else return -1
  }
  return queryAt < 0 || isCleanQuery(text, queryAt + 1, end, options.query) ? end : -1
}

/** The same for an absolute URL whose host is already canonical. */
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
