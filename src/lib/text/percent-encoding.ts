// Percent-encoding in one spelling: upper-case hex, and none where none is needed (RFC 3986, 6.2.2).

const triplet = /%[0-9a-fA-F]{2}/g
const loosePercent = /%(?![0-9a-fA-F]{2})/
const unreserved = /[A-Za-z0-9\-._~]/

export function normalizePercent(text: string): string {
  if (!text.includes('%')) return text
  // Decoding next to a loose `%` could make a triplet that was not there ("%%341" -> "%41"), so it is left alone.
  if (loosePercent.test(text)) return upperCasePercent(text)
  return text.replace(triplet, decodeUnreserved)
}

/** Decoded, or as it is where it is no valid encoding: `100%` is a password, too. */
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
