// Parses style sheets into rules, in their order. Takes linear time.

export interface StyleRule {
  /** The selectors of the rule's list, in lower case. */
  selectors: string[]
  /** Values by property name in lower case. A later declaration replaces an earlier one. */
  declarations: Map<string, string>
}

const mostRules = 20_000
const longestDeclaration = 2_000
/** Media conditions that exclude a desktop screen with a light color scheme. */
const otherMedia = /\bprint\b|\bmax-width\b|prefers-color-scheme:\s*dark|\bforced-colors\b/i

/** Rules inside `@media` count if they apply to a desktop screen. A `@font-face` rule has `@font-face` as its selector. */
export function styleRules(css: string): StyleRule[] {
  const rules: StyleRule[] = []
  const text = css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ')
  readBlock(text, 0, rules, false)
  return rules
}

/** Parses one block. Returns the index after its closing brace. */
function readBlock(text: string, from: number, rules: StyleRule[], isDropped: boolean): number {
  let at = from
  let start = from
  while (at < text.length && rules.length < mostRules) {
    const char = text[at]
    if (char === '"' || char === "'") at = afterString(text, at)
    else if (char === ';') start = ++at
    else if (char === '}') return at + 1
    else if (char === '{') {
      const head = text.slice(start, at).trim()
      at = readRule(text, at + 1, head, rules, isDropped)
      start = at
    } else at += 1
  }
  return at
}

function readRule(text: string, from: number, head: string, rules: StyleRule[], isDropped: boolean): number {
  if (/^@(?:media|supports|layer|container|scope)\b/i.test(head))
    return readBlock(text, from, rules, isDropped || otherMedia.test(head))
  const end = endOfBlock(text, from)
  const isRead = !isDropped && (!head.startsWith('@') || /^@font-face$/i.test(head))
  if (isRead)
    rules.push({ selectors: selectorsOf(head), declarations: declarationsOf(text.slice(from, end)) })
  return end + 1
}

const selectorsOf = (head: string): string[] =>
  head
    .slice(0, longestDeclaration)
    .toLowerCase()
    .split(',')
    .map(selector => selector.trim().replace(/\s+/g, ' '))

/** Parses declarations, also those of `style` attributes. Nested rules are skipped. */
export function declarationsOf(text: string): Map<string, string> {
  const declarations = new Map<string, string>()
  for (const part of text.replace(/[^;{}]*\{[^{}]*\}/g, ';').split(';')) {
    const colon = part.indexOf(':')
    if (colon < 1 || part.length > longestDeclaration) continue
    const name = part.slice(0, colon).trim().toLowerCase()
    const value = part
      .slice(colon + 1)
      .replace(/!\s*important\s*$/i, '')
      .trim()
    if (/^-?-?[a-z][\w-]*$/.test(name) && value !== '') declarations.set(name, value)
  }
  return declarations
}

function afterString(text: string, from: number): number {
  const quote = text[from]
  let at = from + 1
  while (at < text.length && text[at] !== quote && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfBlock(text: string, from: number): number {
  let depth = 1
  let at = from
  for (; at < text.length; at++) {
    const char = text[at]
    if (char === '"' || char === "'") at = afterString(text, at) - 1
    else if (char === '{') depth += 1
    else if (char === '}' && --depth === 0) break
  }
  return at
}
