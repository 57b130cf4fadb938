// Reads JSON that people or templates broke in ways that leave no doubt what was meant.

/** The value, or undefined when the text is no JSON even after repair. */
export function parseForgiving(text: string): unknown {
  const trimmed = unwrapped(text)
  const plain = tryParse(trimmed)
  return plain === undefined ? tryParse(repaired(trimmed)) : plain
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** HTML comments, CDATA marks and a final semicolon around the JSON. */
function unwrapped(text: string): string {
  return text
    .trim()
    .replace(/^\ufeff/, '')
    .replace(/^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/, '')
    .replace(/(?:\/\/|\/\*)?\s{0,10}(?:-->|\]\]>)\s{0,10}(?:\*\/)?$/, '')
    .replace(/;$/, '')
    .trim()
}

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * One pass: raw line breaks and controls inside strings are escaped, escapes JSON does not know lose their backslash,
 * comments and commas before a closing bracket go. Everything else stays, so that real damage is still refused.
 */
function repaired(text: string): string {
  let result = ''
  let at = 0
  while (at < text.length) {
    const character = text[at]!
    if (character === '"') {
      const end = stringEnd(text, at)
      result += repairedString(text.slice(at, end))
      at = end
    } else if (text.startsWith('/*', at) || text.startsWith('//', at)) {
      at = commentEnd(text, at)
    } else {
      if (character !== ',' || !isTrailing(text, at + 1)) result += character
      at++
    }
  }
  return result
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function repairedString(literal: string): string {
  return literal
    .replace(
      /\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|([\s\S]))/g,
      (whole, known: string | undefined, odd: string) => (known === undefined ? odd : whole),
    )
    .replace(/[\0-\x1f]/g, control => escapes[control] ?? '')
}

function commentEnd(text: string, start: number): number {
  const isBlock = text[start + 1] === '*'
  const end = text.indexOf(isBlock ? '*/' : '\n', start + 2)
  if (end < 0) return text.length
  return isBlock ? end + 2 : end
}

function isTrailing(text: string, from: number): boolean {
  let at = from
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++
  return text[at] === '}' || text[at] === ']'
}
