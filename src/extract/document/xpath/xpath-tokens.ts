// Splits an XPath expression into tokens with their positions.

import { xpathRefusal } from './xpath-refusal.ts'

export interface Token {
  is: 'name' | 'operator' | 'number' | 'text' | 'sign' | 'end'
  text: string
  at: number
}

const operatorNames = new Set(['and', 'or', 'mod', 'div'])
const operatorSigns = new Set(['*', '|', '+', '-', '=', '!=', '<', '<=', '>', '>='])

const tokenPattern =
  /\s*(?:([\p{L}_][\p{L}\p{N}_.-]*(?::[\p{L}_][\p{L}\p{N}_.-]*)?)|(\d+(?:\.\d*)?|\.\d+)|"([^"]*)"|'([^']*)'|(\/\/|::|\.\.|!=|<=|>=|[/()[\]@,.|+\-=<>*]))/uy

export function tokenize(expression: string): Token[] {
  const tokens: Token[] = []
  const stop = expression.trimEnd().length
  tokenPattern.lastIndex = 0
  for (let at = 0; at < stop; at = tokenPattern.lastIndex) {
    const match = tokenPattern.exec(expression)
    if (match === null) throw refuseFrom(expression, at)
    tokens.push(tokenOf(match, tokens.at(-1)))
  }
  tokens.push({ is: 'end', text: '', at: stop })
  return tokens
}

function refuseFrom(expression: string, from: number): Error {
  const at = from + expression.slice(from).search(/\S/)
  const sign = expression[at]!
  if (sign === '"' || sign === "'") return xpathRefusal(expression, 'the string does not end', at)
  if (sign === '$') return xpathRefusal(expression, 'variables are not supported', at)
  return xpathRefusal(expression, `"${sign}" has no meaning here`, at)
}

function tokenOf(match: RegExpExecArray, before: Token | undefined): Token {
  const [whole, name, number, doubleQuoted, singleQuoted, sign] = match
  const at = match.index + whole.search(/\S/)
  if (number !== undefined) return { is: 'number', text: number, at }
  if (doubleQuoted !== undefined || singleQuoted !== undefined) {
    return { is: 'text', text: doubleQuoted ?? singleQuoted!, at }
  }
  const text = (name ?? sign)!
  const mayBeOperator = name === undefined ? operatorSigns.has(text) : operatorNames.has(text)
  if (mayBeOperator && (isOnlyOperator(text) || followsOperand(before))) return { is: 'operator', text, at }
  return { is: name === undefined ? 'sign' : 'name', text, at }
}

/** True if the text is always an operator. `*` and operator names can also be names in a path, as in `div/*`. */
function isOnlyOperator(text: string): boolean {
  return text !== '*' && !operatorNames.has(text)
}

function followsOperand(before: Token | undefined): boolean {
  if (before === undefined || before.is === 'operator') return false
  return before.is !== 'sign' || ![`@`, '::', '(', '[', ',', '/', '//'].includes(before.text)
}
