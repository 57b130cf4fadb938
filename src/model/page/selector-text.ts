// Selectors of actions and recordings: their kind, and a syntax check of CSS.
import * as z from 'zod'

/** `aria`, `text`, `xpath` and `pierce` have a prefix, as in Chrome's recorder. */
type SelectorKind = 'css' | 'aria' | 'text' | 'xpath' | 'pierce'

const prefixes: ReadonlyArray<readonly [prefix: string, kind: SelectorKind]> = [
  ['aria/', 'aria'],
  ['text/', 'text'],
  ['xpath/', 'xpath'],
  ['pierce/', 'pierce'],
  ['//', 'xpath'],
  ['(//', 'xpath'],
]

export function readSelector(selector: string): { kind: SelectorKind; text: string } {
  for (const [prefix, kind] of prefixes) {
    if (!selector.startsWith(prefix)) continue
    return { kind, text: prefix.includes('//') ? selector : selector.slice(prefix.length) }
  }
  return { kind: 'css', text: selector }
}

/** The problem of a selector; null if it may be valid. Whether it matches depends on the page. */
export function selectorProblem(selector: string): string | null {
  const { kind, text } = readSelector(selector)
  if (text.trim() === '') return 'is empty'
  if (kind === 'xpath')
    return closingAt(`(${text})`, 0) === text.length + 1 ? null : 'has brackets or quotes that do not match'
  return kind === 'css' || kind === 'pierce' ? cssProblem(text) : null
}

/** An escape in CSS: `\:`, or `\31 ` with the code of the character in hex and an optional space as its end. */
const escaped = String.raw`\\(?:[0-9a-fA-F]{1,6}\s?|[^\n0-9a-fA-F])`
const letter = String.raw`[A-Za-z_\u0080-\uffff]|${escaped}`
const word = String.raw`(?:--|-?(?:${letter}))(?:[\w\u0080-\uffff-]|${escaped})*`
const string = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`
const identifier = new RegExp(`^(?:${word})`, 's')
const attribute = new RegExp(
  String.raw`^\[\s*(?:[\w\u0080-\uffff|*-]|${escaped})+\s*(?:[~|^$*]?=\s*(?:${string}|[^\s"'\]]+)\s*(?:[iIsS]\s*)?)?\]`,
  's',
)
const template = /^\{\{[^{}]*\}\}/

/** Checks compounds, combinators and lists of a CSS selector. Finds selectors that a browser would refuse, and names the
 *  position of the error. A template (`{{row.id}}`) counts as a word. */
function cssProblem(css: string): string | null {
  let rest = css.trim()
  let expects = true
  while (rest !== '') {
    const combinator = /^\s*[>+~,]\s*|^\s+/.exec(rest)
    if (combinator) {
      if (expects) return placeOf(css, rest)
      expects = true
      rest = rest.slice(combinator[0].length)
      continue
    }
    const length = compoundLength(rest)
    if (length === 0) return placeOf(css, rest)
    expects = false
    rest = rest.slice(length)
  }
  return expects ? `ends where a name, a class or an id is expected` : null
}

const placeOf = (css: string, rest: string): string =>
  `is not valid CSS at character ${css.trim().length - rest.length + 1} ("${rest.slice(0, 20)}")`

/** Length of one simple selector at the start; 0 if there is none. */
function compoundLength(text: string): number {
  if (text.startsWith('{{')) return lengthOf(template, text)
  if (text.startsWith('*')) return 1
  if (text.startsWith('[')) return lengthOf(attribute, text)
  if (text.startsWith('#') || text.startsWith('.')) return markedLength(text.slice(1))
  if (text.startsWith(':')) return pseudoLength(text)
  return lengthOf(identifier, text)
}

const lengthOf = (expression: RegExp, text: string): number => expression.exec(text)?.[0].length ?? 0

/** Length of an id or class selector. A name must follow `#` or `.`; 0 if no name follows. */
function markedLength(text: string): number {
  const length = lengthOf(identifier, text) || lengthOf(template, text)
  return length === 0 ? 0 : length + 1
}

/** Length of a pseudo-class; 0 if there is none. Pseudo-elements such as `::before` are refused, because they match no element. */
function pseudoLength(text: string): number {
  const name = /^:[A-Za-z-]+/.exec(text)?.[0]
  if (!name) return 0
  if (text[name.length] !== '(') return name.length
  const end = closingAt(text, name.length)
  return end === -1 || end === name.length + 1 ? 0 : end + 1
}

/** Position of the bracket that closes the one at `from`. Brackets in quoted strings do not count. */
function closingAt(text: string, from: number): number {
  const open: string[] = []
  for (let at = from; at < text.length; at++) {
    const character = text[at]!
    if (character === '\\') at++
    else if (character === '"' || character === "'") {
      at = text.indexOf(character, at + 1)
      if (at === -1) return -1
    } else if (character === '(' || character === '[') open.push(character === '(' ? ')' : ']')
    else if (character === ')' || character === ']') {
      if (open.pop() !== character) return -1
      if (open.length === 0) return at
    }
  }
  return -1
}

export const selectorText = z
  .string()
  .min(1)
  .max(10_000)
  .superRefine((selector, context) => {
    const problem = selectorProblem(selector)
    if (problem)
      context.addIssue({ code: 'custom', message: `selector "${selector.slice(0, 100)}" ${problem}` })
  })

/** Alternative selectors: the first one that matches is used. A nested list is a path through shadow roots. */
export const selectorList = z
  .array(z.union([selectorText, z.array(selectorText).min(1).max(20)]))
  .min(1)
  .max(20)
export type SelectorAlternative = string | string[]
