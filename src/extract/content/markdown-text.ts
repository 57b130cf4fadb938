// Escapes text for markdown, but only where it would be interpreted as markup.

const maySpeak = /[\\`*_\]<~]|&(?=#?\w{1,32};)/
const speaks = new RegExp(
  [
    '\\\\(?=[\\\\`*_{}[\\]()#+.!|<>~-]|$)',
    '`|\\*(?=\\S)|(?<=\\S)\\*',
    '(?<![\\p{L}\\p{N}])_(?=\\S)|(?<=\\S)_(?![\\p{L}\\p{N}])',
    '\\](?=[([])|<(?=[a-zA-Z/!?]|$)|~~|&(?=#?\\w{1,32};)',
  ].join('|'),
  'gu',
)

/** Escapes text inside a paragraph. "2 * 3" and "snake_case" stay unchanged. The following text may complete a tag or
 *  an escape, so a final "<" or backslash is escaped too. */
export function escapeInline(text: string): string {
  if (!maySpeak.test(text)) return text
  const formulas = mayHoldTex.test(text) ? texPieces(text) : []
  if (formulas.length === 0) return text.replace(speaks, '\\$&')
  // LaTeX formulas are copied unchanged; only the text around them is escaped.
  let done = 0
  const pieces = formulas.flatMap(([start, end]) => {
    const before = text.slice(done, start).replace(speaks, '\\$&')
    done = end
    return [before, text.slice(start, end)]
  })
  return pieces.join('') + text.slice(done).replace(speaks, '\\$&')
}

const mayHoldTex = /\$|\\[([]/
const texOpening = /\$|\\[([]/g
const texSign = /[\\^_]/

type Span = [start: number, end: number]

/** Positions of LaTeX formulas, in order. Takes linear time, because a page may contain a million openings without an
 *  end. */
function texPieces(text: string): Span[] {
  const found: Span[] = []
  const lastEnds = { '\\(': text.lastIndexOf('\\)'), '\\[': text.lastIndexOf('\\]') }
  texOpening.lastIndex = 0
  for (let match = texOpening.exec(text); match; match = texOpening.exec(text)) {
    const start = match.index
    const opening = match[0] as '$' | '\\(' | '\\['
    const end = opening === '$' ? dollarEnd(text, start) : bracketEnd(text, start, lastEnds[opening])
    if (end === -1) continue
    found.push([start, end])
    texOpening.lastIndex = end
  }
  return found
}

function bracketEnd(text: string, start: number, lastEnd: number): number {
  if (lastEnd < start + 2) return -1
  return text.indexOf(text[start + 1] === '(' ? '\\)' : '\\]', start + 2) + 2
}

/** The end of a formula such as `$a^2$` (one line, no spaces at its edges) or `$$ a^2 $$`. -1 if it is no formula, such
 *  as a price. */
function dollarEnd(text: string, start: number): number {
  const isDisplay = text[start + 1] === '$'
  const from = isDisplay ? start + 2 : start + 1
  const end = text.indexOf('$', from)
  if (end === -1) return -1
  const inner = text.slice(from, end)
  if (!texSign.test(inner)) return -1
  if (isDisplay) return text[end + 1] === '$' ? end + 2 : -1
  return /^\s|\n|\s$/.test(inner) ? -1 : end + 1
}

const startsBlocks = '#+-=>~0123456789'

/** Escapes the first characters of a line, where a hash, a dash or a number would start a block. */
export function escapeLineStart(line: string): string {
  if (!startsBlocks.includes(line.charAt(0))) return line
  return line
    .replace(/^(#{1,6}(?:\s|$)|[-+](?:\s|$)|>|={3,}\s*$|-{3,}\s*$|~{3,})/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** Wraps text in backticks, one more than the longest run of backticks in the text. */
export function codeSpan(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1)
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${padding}${text}${padding}${fence}`
}

export function codeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

function longestRun(text: string): number {
  if (!text.includes('`')) return 0
  let longest = 0
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length)
  return longest
}

/** Encodes white space, parentheses and angle brackets, because they can end the address of a link early. */
export function linkTarget(url: string): string {
  return /[\s()<>]/.test(url) ? url.replace(/[\s()<>]/g, encodeURIComponentFully) : url
}

const encodeURIComponentFully = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
