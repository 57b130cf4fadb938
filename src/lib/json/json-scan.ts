// Counts the values of a JSON text without building them. `JSON.parse` cannot be stopped, and a small text can fill the
// memory.

interface JsonLimits {
  /** Maximum number of values. Objects and lists count as values too. */
  values: number
  depth: number
  /** Maximum number of keys of one object. An object with many keys costs far more than a list. */
  keys?: number
}

export interface JsonExcess {
  what: 'values' | 'depth' | 'keys'
  /** The end of a message that starts with "the text is JSON". */
  words: string
}

const comma = 44
const quote = 34
const backslash = 92

/** The limit that the text exceeds; null if there is none. Does not check that the text is valid JSON. */
export const jsonExcess = (text: string, limits: JsonLimits): JsonExcess | null => {
  const scanned = scanJson(text, limits)
  return typeof scanned === 'number' ? null : scanned
}

/** The number of values, or the limit that is exceeded. */
export function scanJson(text: string, limits: JsonLimits): number | JsonExcess {
  const { values: mostValues, depth: mostDepth, keys: mostKeys = mostValues } = limits
  let values = 1
  /** Number of entries of each open object or list. Lists start far below zero, so that only keys of objects reach the
   *  limit. */
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = stringEnd(text, at)
    else if (code === comma) {
      values++
      if (open.length > 0 && ++open[open.length - 1]! > mostKeys) return excess('keys', mostKeys)
    } else if (code === 91 || code === 123) {
      values++
      if (open.push(code === 123 ? 1 : Number.NEGATIVE_INFINITY) > mostDepth)
        return excess('depth', mostDepth)
    } else if (code === 93 || code === 125) open.pop()
    if (values > mostValues) return excess('values', mostValues)
  }
  return values
}

function excess(what: JsonExcess['what'], most: number): JsonExcess {
  const number = most.toLocaleString('en-US')
  if (what === 'depth') return { what, words: `nested deeper than ${number} levels` }
  return {
    what,
    words: what === 'keys' ? `of more than ${number} keys in one object` : `of more than ${number} values`,
  }
}

/** Position of the closing quote. Long strings are cheap, because the search is native. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++
  return slashes % 2 === 1
}
