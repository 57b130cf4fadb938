// The path pattern of a robots.txt rule: `*` matches anything, and a final `$` matches the end. Matching takes linear time.
import { normalizePercent, upperCasePercent } from '../../lib/text/percent-encoding.ts'

/** A path with its query: as given, and with normalized percent-encoding. */
export interface Spellings {
  given: string
  normal: string
}

const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const beyondAscii = /[^\x00-\x7f]/

/** The path and query of a URL, without the fragment. Also accepts a path with query. Empty text means the root. */
export function pathOf(urlOrPath: string): Spellings {
  const path = urlOrPath.replace(schemeAndHost, '').replace(/#.*$/s, '')
  const given = upperCasePercent(path.startsWith('/') ? path : `/${path}`)
  const encoded = beyondAscii.test(given) ? escapeOctets(Buffer.from(given).toString('latin1')) : given
  return { given, normal: normalizePercent(encoded) }
}

/** The pattern of a rule. `value` contains the bytes of the file, decoded as Latin-1. */
export function patternOf(value: string): Spellings {
  const given = upperCasePercent(escapeOctets(value))
  return { given, normal: normalizePercent(given) }
}

/** Percent-encodes bytes beyond ASCII, so that they can be compared. */
const escapeOctets = (latin1: string): string =>
  latin1.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** Whether the pattern has no wildcards. Then it matches all paths that start with it. */
export const isPlainStart = (pattern: string): boolean => !pattern.includes('*') && !pattern.endsWith('$')

/** Compiles a pattern with wildcards. The matcher searches the pieces between the stars from left to right in one pass. */
export function compileWildcards(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.endsWith('$')
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/)
  const first = pieces.shift()!
  const last = isAnchored ? pieces.pop() : ''
  // With a final `$` and without a star, the path must equal the pattern.
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
