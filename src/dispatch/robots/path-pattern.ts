// The path pattern of a robots.txt rule: `*` matches anything, a final `$` the end. Linear time.
import { normalizePercent, upperCasePercent } from '../../lib/text/percent-encoding.ts'

/** A path with its query, original and with normalized percent-encoding. */
export interface Spellings {
  given: string
  normal: string
}

const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const beyondAscii = /[^\x00-\x7f]/

/** Takes a URL, or a path with query; empty means the root. */
export function pathOf(urlOrPath: string): Spellings {
  const path = urlOrPath.replace(schemeAndHost, '').replace(/#.*$/s, '')
  const given = upperCasePercent(path.startsWith('/') ? path : `/${path}`)
  const encoded = beyondAscii.test(given) ? escapeOctets(Buffer.from(given).toString('latin1')) : given
  return { given, normal: normalizePercent(encoded) }
}

/** `value` is bytes as Latin-1. */
export function patternOf(value: string): Spellings {
  const given = upperCasePercent(escapeOctets(value))
  return { given, normal: normalizePercent(given) }
}

/** Bytes beyond ASCII are compared in their encoded form. */
const escapeOctets = (latin1: string): string =>
  latin1.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** Without wildcards a pattern is the start of the paths it speaks of. */
export const isPlainStart = (pattern: string): boolean => !pattern.includes('*') && !pattern.endsWith('$')

/** Finds the leftmost match of each piece between stars in one pass. */
export function compileWildcards(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.endsWith('$')
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/)
  const first = pieces.shift()!
  const last = isAnchored ? pieces.pop() : ''
  // Anchored without a star: the path must equal the first piece.
  if (last === undefined) return path => path === first
  return path => {
    if (!path.startsWith(first)) return false
    const end = endOfPieces(path, pieces, first.length)
    return end >= 0 && end + last.length <= path.length && (!isAnchored || path.endsWith(last))
  }
}

function endOfPieces(path: string, pieces: string[], start: number): number {
  let end = start
  for (const piece of pieces) {
    const at = path.indexOf(piece, end)
    if (at < 0) return -1
    end = at + piece.length
  }
  return end
}
