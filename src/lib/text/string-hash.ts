// A small, fast hash of a string, for distributing names over a few places.

/** FNV-1a over UTF-16 code units, as an unsigned 32-bit number. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
