// The path of a robots.txt rule: `*` anything, `$` at the end the end. Matched piece by piece, never by trying all ways.
import { normalizePercent, upperCasePercent } from '../../lib/percent-encoding.ts'

export interface PathPattern {
  /** Octets of the pattern: the longest match decides. */
  readonly length: number
  matches(path: RobotsPath): boolean
}

/** A path with its query, as it was given and with its percent-encoding in one spelling. */
export interface RobotsPath {
  given: string
  normal: string
}

const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i
const beyondAscii = /[^\x00-\x7f]/

/** Takes a URL, or a path with its query; nothing is the root. */
export function pathOf(urlOrPath: string): RobotsPath {
  const path = urlOrPath.replace(schemeAndHost, '').replace(/#.*$/s, '')
  const given = upperCasePercent(path.startsWith('/') ? path : `/${path}`)
  const encoded = beyondAscii.test(given) ? escapeOctets(Buffer.from(given).toString('latin1')) : given
  return { given, normal: normalizePercent(encoded) }
}

/**
 * An Allow counts as it is written; a Disallow in every spelling of it (`/%7Ejoe` forbids `/~joe`). Where spellings differ,
 * google/robotstxt and RFC 9309 disagree; this way we are never freer than either.
 */
export function compilePattern(value: string, kind: 'allow' | 'disallow'): PathPattern {
  const given = upperCasePercent(escapeOctets(value))
  const matchesGiven = compile(given)
  if (kind === 'allow') return { length: given.length, matches: path => matchesGiven(path.given) }
  const matchesNormal = compile(normalizePercent(given))
  return { length: given.length, matches: path => matchesNormal(path.normal) || matchesGiven(path.given) }
}

/** `latin1` holds bytes; those beyond ASCII are compared in their encoded form. */
const escapeOctets = (latin1: string): string =>
  latin1.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** Leftmost match of each piece between stars: one pass over the path, whatever the number of stars. */
function compile(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.endsWith('$')
  const pieces = (isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/)
  const first = pieces.shift()!
  const last = isAnchored ? pieces.pop() : ''
  // Anchored and without a star: the first piece is all there may be.
  if (last === undefined) return path => path === first
  if (pieces.length === 0 && !isAnchored) return path => path.startsWith(first)
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
