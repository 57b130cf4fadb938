// Compares attribute values for selectors.

import { isSpace } from '../characters.ts'
import type { AttributeOperator } from './selector.ts'

/** Whether the token is one of the words between `start` and `stop`, separated by white space. */
export function hasToken(text: string, start: number, stop: number, token: string): boolean {
  let at = start
  while (at < stop) {
    if (isSpace(text.charCodeAt(at))) at++
    else {
      const wordStart = at
      while (at < stop && !isSpace(text.charCodeAt(at))) at++
      if (at - wordStart === token.length && text.startsWith(token, wordStart)) return true
    }
  }
  return false
}

export function compares(operator: AttributeOperator, value: string, wanted: string): boolean {
  switch (operator) {
    case 'exists':
      return true
    case 'equals':
      return value === wanted
    case 'not':
      return value !== wanted
    case 'element':
      return wanted !== '' && !/\s/.test(wanted) && hasToken(value, 0, value.length, wanted)
    case 'hyphen':
      return value === wanted || value.startsWith(`${wanted}-`)
    case 'start':
      return wanted !== '' && value.startsWith(wanted)
    case 'end':
      return wanted !== '' && value.endsWith(wanted)
    default:
      return wanted !== '' && value.includes(wanted)
  }
}
