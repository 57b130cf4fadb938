// Parses a CSS selector with css-what. Refuses invalid and unsupported parts, and names their position.

import * as cssWhat from 'css-what'
import { Failure } from '../../../model/failures.ts'

/** Maximum length of a selector in characters. People do not write longer ones. */
const maxLength = 16_384
const maxNesting = 16

export type SyntaxChain = cssWhat.Selector[]

export function parseSelector(css: string): SyntaxChain[] {
  if (css.length > maxLength) throw refusal(css, maxLength, `longer than ${maxLength} characters`)
  checkCharacters(css)
  const chains = parseOrRefuse(css)
  if (chains.length === 0) throw refusal(css, 0, 'it is empty')
  return chains
}

/** The failure for a selector that cannot be used. `at` is the position of the problem, counted from 0. */
export function refusal(css: string, at: number, why: string): Failure {
  const shown = css.length > 200 ? `${css.slice(0, 200)}…` : css
  return new Failure('input.invalid', `Selector "${shown}", at character ${at + 1}: ${why}`, {
    selector: shown,
    at,
  })
}

function parseOrRefuse(css: string): SyntaxChain[] {
  try {
    return cssWhat.parse(css)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const rest = /^(?:Expected name, found |Unmatched selector: )(.*)$/s.exec(message)
    if (rest)
      throw refusal(
        css,
        css.length - rest[1]!.length,
        'a name, a class, an id or a combinator is expected here',
      )
    throw refusal(css, css.length, lowerFirst(message))
  }
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}

/** css-what accepts more characters in names than CSS does, so this check refuses them. Strings, escapes and
 *  `:contains(…)` may contain any character. */
function checkCharacters(css: string): void {
  let nesting = 0
  for (let at = 0; at < css.length; at++) {
    const character = css[at]!
    if (character === '\\') at++
    else if (character === '"' || character === "'") at = stringEnd(css, at)
    else if (character === '(') {
      if (++nesting > maxNesting) throw refusal(css, at, `nested deeper than ${maxNesting}`)
      if (/:i?contains$/i.test(css.slice(Math.max(0, at - 10), at))) at = parenthesisEnd(css, at) - 1
    } else if (character === ')') nesting--
    else if (character === '[') at = bracketEnd(css, at)
    else if (!/[-\w\s.#:>+~,*|\u0080-\uffff]/.test(character)) {
      throw refusal(css, at, `"${character}" has no meaning here`)
    }
  }
}

function stringEnd(css: string, start: number): number {
  for (let at = start + 1; at < css.length; at++) {
    if (css[at] === '\\') at++
    else if (css[at] === css[start]) return at
  }
  throw refusal(css, start, 'the string does not end')
}

function bracketEnd(css: string, start: number): number {
  for (let at = start + 1; at < css.length; at++) {
    if (css[at] === '\\') at++
    else if (css[at] === '"' || css[at] === "'") at = stringEnd(css, at)
    else if (css[at] === ']') return at
  }
  throw refusal(css, start, 'the bracket is not closed')
}

function parenthesisEnd(css: string, start: number): number {
  let nesting = 0
  for (let at = start; at < css.length; at++) {
    if (css[at] === '\\') at++
    else if (css[at] === '(') nesting++
    else if (css[at] === ')' && --nesting === 0) return at
  }
  throw refusal(css, start, 'the parenthesis is not closed')
}
