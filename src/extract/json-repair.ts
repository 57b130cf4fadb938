// Parses JSON, including broken JSON that has only one plausible repair.

import { jsonIn } from '../model/json.ts'

/** The JSON documents in the text, usually one. Those that cannot be repaired are left out. */
export function parseForgiving(text: string): unknown[] {
  const plain = jsonIn(text)
  if (plain !== undefined) return [plain]
  const mended = withoutStrayCommas(withoutComments(decoded(unwrapped(text))))
  const whole = jsonIn(mended)
  return whole === undefined ? documentsIn(mended) : [whole]
}

/** Removes HTML comment and CDATA markers around the JSON, and a final semicolon. */
function unwrapped(text: string): string {
  return withoutLeadingComment(text.trim().replace(/^\ufeff/, ''))
    .replace(/^(?:\/\/|\/\*)?\s*(?:<!--|<!\[CDATA\[)\s*(?:\*\/)?/, '')
    .replace(/(?:\/\/|\/\*)?\s{0,10}(?:-->|\]\]>)\s{0,10}(?:\*\/)?$/, '')
    .replace(/;$/, '')
    .trim()
}

/** Removes a complete comment before the JSON. Markers that enclose the JSON are removed by `unwrapped`. */
function withoutLeadingComment(text: string): string {
  const end = text.startsWith('<!--') ? text.indexOf('-->') + 3 : 0
  const rest = text.slice(Math.max(0, end)).trimStart()
  return end > 2 && /^[[{]/.test(rest) ? rest : text
}

/** Some templates escape everything and write `{&quot;name&quot;:…`. Decodes JSON that has no plain quotes. */
function decoded(text: string): string {
  if (text.includes('"') || !/&(?:quot|#0*34|#x0*22);/i.test(text)) return text
  return text
    .replace(/&(?:quot|#0*34|#x0*22);/gi, '"')
    .replace(/&(?:apos|#0*39|#x0*27);/gi, "'")
    .replace(/&lt;/gi, '<')
    .replace(/&gt;/gi, '>')
    .replace(/&amp;/gi, '&')
}

const comments: [start: string, end: string, endLength: number][] = [
  ['/*', '*/', 2],
  ['//', '\n', 0],
  ['<!--', '-->', 3],
]

/** Removes comments outside of strings, and repairs strings. */
function withoutComments(text: string): string {
  let result = ''
  let at = 0
  while (at < text.length) {
    const character = text[at]!
    const comment =
      character === '/' || character === '<'
        ? comments.find(([start]) => text.startsWith(start, at))
        : undefined
    if (character === '"') {
      const end = stringEnd(text, at)
      result += mendedString(text.slice(at, end))
      at = end
    } else if (comment) {
      const [start, closing, length] = comment
      const end = text.indexOf(closing, at + start.length)
      at = end === -1 ? text.length : end + length
    } else {
      result += character
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

const escapes: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes raw line breaks, removes other control characters, and removes the backslash of unknown escapes. */
function mendedString(literal: string): string {
  return literal
    .replace(
      /\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|([\s\S]))/g,
      (whole, known: string | undefined, odd: string) => (known === undefined ? odd : whole),
    )
    .replace(/[\0-\x1f]/g, control => escapes[control] ?? '')
}

/** Removes a comma before another comma or a closing bracket. */
function withoutStrayCommas(text: string): string {
  let result = ''
  let at = 0
  while (at < text.length) {
    const end = text[at] === '"' ? stringEnd(text, at) : at + 1
    if (text[at] !== ',' || !isStray(text, at + 1)) result += text.slice(at, end)
    at = end
  }
  return result
}

function isStray(text: string, from: number): boolean {
  let at = from
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++
  return text[at] === '}' || text[at] === ']' || text[at] === ','
}

/** Parses consecutive objects and arrays that are separated only by spaces, commas and semicolons. */
function documentsIn(text: string): unknown[] {
  const found: unknown[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character === '"' && depth > 0) at = stringEnd(text, at) - 1
    else if (character === '{' || character === '[') {
      if (depth++ === 0) start = at
    } else if (character === '}' || character === ']') {
      if (--depth === 0) found.push(jsonIn(text.slice(start, at + 1)))
    } else if (depth === 0 && !/[\s,;]/.test(character)) return []
    if (depth < 0) break
  }
  return found.filter(value => value !== undefined)
}
