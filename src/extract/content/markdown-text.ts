// Text made safe for markdown: what would be taken for markup is escaped, and nothing more.

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

/**
 * Inside a paragraph. Escapes only where markdown would see markup: "2 * 3" and "snake_case" stay as they are. The next text may
 * complete a tag or an escape, so a "<" or a backslash at the end is escaped as well.
 */
export function escapeInline(text: string): string {
  if (!maySpeak.test(text)) return text
  if (!rawTex.test(text)) return text.replace(speaks, '\\$&')
  // LaTeX stays as it is: every second piece is a formula.
  return text
    .split(texPiece)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(speaks, '\\$&')))
    .join('')
}

const rawTex = /\$[^$]*[\\^_][^$]*\$|\\\(|\\\[/
const texPiece =
  /(\$\$[^$]*[\\^_][^$]*\$\$|\$(?!\s)[^$\n]*[\\^_][^$\n]*(?<!\s)\$|\\\([\s\S]*?\\\)|\\\[[\s\S]*?\\\])/

/** At the start of a line, where a hash, a dash or a number would begin a block. */
export function escapeLineStart(line: string): string {
  if (!/^[#+\-=>~\d]/.test(line)) return line
  return line
    .replace(/^(#{1,6}(?:\s|$)|[-+](?:\s|$)|>|={3,}\s*$|-{3,}\s*$|~{3,})/, '\\$1')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** A run of backticks longer than any inside. */
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
  let longest = 0
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length)
  return longest
}

/** Spaces and brackets would end a link's address early. */
export function linkTarget(url: string): string {
  return /[\s()<>]/.test(url) ? url.replace(/[\s()<>]/g, encodeURIComponentFully) : url
}

const encodeURIComponentFully = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
