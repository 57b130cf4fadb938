// Normalizes percent-encoding: upper-case hex, and no encoding where it is not needed (RFC 3986, 6.2.2).

const triplet = /%[0-9a-fA-F]{2}/g
const loosePercent = /%(?![0-9a-fA-F]{2})/
const unreserved = /[A-Za-z0-9\-._~]/

export function normalizePercent(text: string): string {
  if (!text.includes('%')) return text
  // Decoding next to a stray `%` could create a new triplet ("%%341" -> "%41"), so it is skipped.
  if (loosePercent.test(text)) return upperCasePercent(text)
  return text.replace(triplet, decodeUnreserved)
}

/** The decoded text. Unchanged if the encoding is invalid: `100%` can be a password. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const upperCasePercent = (text: string): string => text.replace(triplet, found => found.toUpperCase())

function decodeUnreserved(found: string): string {
  const character = String.fromCharCode(Number.parseInt(found.slice(1), 16))
  return unreserved.test(character) ? character : found.toUpperCase()
}
