// The failure for an XPath expression that cannot be used.

import { Failure } from '../../../model/failures.ts'

/** `at` is the position of the problem in the expression, counted from 0. */
export function xpathRefusal(expression: string, why: string, at: number): Failure {
  const shown = expression.length > 200 ? `${expression.slice(0, 200)}…` : expression
  return new Failure('input.invalid', `XPath "${shown}", at character ${at + 1}: ${why}`, {
    xpath: shown,
    at,
  })
}
