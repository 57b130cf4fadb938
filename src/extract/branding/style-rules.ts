// Parses style sheets into rules, in their order. Takes linear time.

export interface StyleRule {
  /** The selectors of the rule's list, in lower case. */
  selectors: string[]
  /** Values by property name in lower case. A later declaration replaces an earlier one. */
  declarations: Map<string, string>
}

const mostRules = 20_000
/** Maximum number of selectors in all rules together. Each style lookup compares all of them. */
const mostSelectors = 50_000
const longestDeclaration = 2_000
/** Maximum nesting of blocks such as `@media`. Deeper blocks are skipped. */
const deepestBlock = 20
/** Media conditions that exclude a desktop screen with a light color scheme. */
const otherMedia = /\bprint\b|\bmax-width\b|prefers-color-scheme:\s*dark|\bforced-colors\b/i

interface Found {
  rules: StyleRule[]
  selectors: number
}

/** Rules inside `@media` count if they apply to a desktop screen. A `@font-face` rule has `@font-face` as its selector. */
export function styleRules(css: string): StyleRule[] {
  const found: Found = { rules: [], selectors: 0 }
  const text = css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ' ')
  readBlock(text, 0, found, { isDropped: false, depth: 0 })
  return found.rules
}

interface Place {
  isDropped: boolean
  /** The number of blocks around this place. */
  depth: number
}

const isFull = ({ rules, selectors }: Found): boolean =>
  rules.length >= mostRules || selectors >= mostSelectors

/** Parses one block. Returns the index after its closing brace. */
function readBlock(text: string, from: number, found: Found, place: Place): number {
  let at = from
  let start = from
  while (at < text.length && !isFull(found)) {
    const char = text[at]
    if (char === '"' || char === "'") at = afterString(text, at)
    else if (char === ';') start = ++at
    else if (char === '}') return at + 1
    else if (char === '{') {
      const head = text.slice(start, at).trim()
      at = readRule(text, at + 1, head, found, place)
      start = at
    } else at += 1
  }
  return at
}

function readRule(
  text: string,
  from: number,
  head: string,
  found: Found,
  { isDropped, depth }: Place,
): number {
  if (depth < deepestBlock && /^@(?:media|supports|layer|container|scope)\b/i.test(head))
    return readBlock(text, from, found, { isDropped: isDropped || otherMedia.test(head), depth: depth + 1 })
  const end = endOfBlock(text, from)
  const isRead = !isDropped && (!head.startsWith('@') || /^@font-face$/i.test(head))
  if (isRead) {
    const selectors = selectorsOf(head)
    found.selectors += selectors.length
    found.rules.push({ selectors, declarations: declarationsOf(text.slice(from, end)) })
  }
  return end + 1
}

const selectorsOf = (head: string): string[] =>
  head
    .slice(0, longestDeclaration)
    .toLowerCase()
    .split(',')
    .map(selector => selector.trim().replace(/\s+/g, ' '))

/** Parses the declarations of a rule or of a `style` attribute. Nested rules are skipped. */
export function declarationsOf(text: string): Map<string, string> {
  const declarations = new Map<string, string>()
  for (const part of withoutNested(text).split(';')) {
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

function withoutNested(text: string): string {
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== ';' && text[at] !== '{') continue
    if (text[at] === ';') parts.push(text.slice(start, at))
    else at = endOfBlock(text, at + 1)
    start = at + 1
  }
  return [...parts, text.slice(start)].join(';')
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
