// Parses XPath 1.0: paths, predicates, operators, and calls of the supported functions.

import { lowerCaseName } from '../tags.ts'
import { linearPattern } from './linear-pattern.ts'
import {
  type Arithmetic,
  type Axis,
  type Comparison,
  type Expression,
  isPositional,
  type NodeTest,
  type Step,
  typeOf,
} from './xpath-expression.ts'
import { functionTable } from './xpath-functions.ts'
import { xpathRefusal } from './xpath-refusal.ts'
import { type Token, tokenize } from './xpath-tokens.ts'

const maxLength = 4_096
const maxNesting = 32

const axes = new Set<string>([
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'child',
  'descendant',
  'descendant-or-self',
  'following',
  'following-sibling',
  'parent',
  'preceding',
  'preceding-sibling',
  'self',
])

const kindTests: Record<string, NodeTest> = {
  node: { is: 'node' },
  text: { is: 'text' },
  comment: { is: 'comment' },
  'processing-instruction': { is: 'nothing' },
}

const anyNodeBelow: Step = {
  axis: 'descendant-or-self',
  test: { is: 'node' },
  predicates: [],
  isPositional: false,
}

export function parseXPath(source: string): Expression {
  if (source.length > maxLength) throw xpathRefusal(source, `longer than ${maxLength} characters`, maxLength)
  return new Parser(source).whole()
}

/** Refuses invalid literal patterns before any page is parsed. */
function checkPattern(name: string, [, pattern, flags]: Expression[], source: string): void {
  if (name !== 're:test' && name !== 'matches') return
  if (pattern?.is === 'text') linearPattern(pattern.value, flags?.is === 'text' ? flags.value : '', source)
}

class Parser {
  private readonly source: string
  private readonly tokens: Token[]
  private next = 0
  private nesting = 0

  constructor(source: string) {
    this.source = source
    this.tokens = tokenize(source)
  }

  whole(): Expression {
    const expression = this.either()
    if (this.token.is !== 'end') throw this.refuse(`"${this.token.text}" is not expected here`)
    return expression
  }

  // The methods below parse operators, from the lowest to the highest precedence.

  private either(): Expression {
    if (++this.nesting > maxNesting) throw this.refuse(`nested deeper than ${maxNesting}`)
    let left = this.both()
    while (this.takeOperator('or')) left = { is: 'either', left, right: this.both() }
    this.nesting--
    return left
  }

  private both(): Expression {
    let left = this.comparison(['=', '!='])
    while (this.takeOperator('and')) left = { is: 'both', left, right: this.comparison(['=', '!=']) }
    return left
  }

  private comparison(operators: Comparison[]): Expression {
    const inner = () => (operators[0] === '=' ? this.comparison(['<', '<=', '>', '>=']) : this.sum())
    let left = inner()
    for (
      let operator = this.takeOperator(...operators);
      operator;
      operator = this.takeOperator(...operators)
    ) {
      left = { is: 'comparison', operator: operator as Comparison, left, right: inner() }
    }
    return left
  }

  private sum(): Expression {
    let left = this.product()
    for (let operator = this.takeOperator('+', '-'); operator; operator = this.takeOperator('+', '-')) {
      left = { is: 'arithmetic', operator: operator as Arithmetic, left, right: this.product() }
    }
    return left
  }

  private product(): Expression {
    let left = this.negation()
    for (let operator = this.takeOperator('*', 'div', 'mod'); operator; ) {
      left = { is: 'arithmetic', operator: operator as Arithmetic, left, right: this.negation() }
      operator = this.takeOperator('*', 'div', 'mod')
    }
    return left
  }

  private negation(): Expression {
    let isNegated = false
    let hasSign = false
    for (; this.takeOperator('-'); hasSign = true) isNegated = !isNegated
    const value = this.union()
    if (!hasSign) return value
    const negated: Expression = { is: 'negation', value }
    return isNegated ? negated : { is: 'negation', value: negated }
  }

  private union(): Expression {
    let left = this.path()
    while (this.takeOperator('|')) {
      const right = this.path()
      if (typeOf(left) !== 'nodes' || typeOf(right) !== 'nodes')
        throw this.refuse('| can join only paths, not values')
      left = { is: 'union', left, right }
    }
    return left
  }

  // The methods below parse paths.

  private path(): Expression {
    if (this.takeSign('/')) {
      return { is: 'path', start: 'root', steps: this.startsStep() ? this.steps([]) : [] }
    }
    if (this.takeSign('//')) return { is: 'path', start: 'root', steps: this.steps([anyNodeBelow]) }
    if (!this.startsPrimary()) return { is: 'path', start: 'context', steps: this.steps([]) }
    return this.pathFrom(this.filtered())
  }

  private pathFrom(start: Expression): Expression {
    const isDeep = this.isSign('//')
    if (!isDeep && !this.isSign('/')) return start
    if (typeOf(start) !== 'nodes') throw this.refuse('a path can continue only from nodes')
    this.next++
    return { is: 'path', start, steps: this.steps(isDeep ? [anyNodeBelow] : []) }
  }

  private steps(steps: Step[]): Step[] {
    this.addStep(steps)
    for (;;) {
      if (this.takeSign('//')) steps.push(anyNodeBelow)
      else if (!this.takeSign('/')) return steps
      this.addStep(steps)
    }
  }

  /** `//a` means "every child a of every descendant". Without positional predicates, this is the same as
   *  "every descendant a", so both steps become one. */
  private addStep(steps: Step[]): void {
    const step = this.step()
    const canMerge = steps.at(-1) === anyNodeBelow && step.axis === 'child' && !step.isPositional
    if (canMerge) steps[steps.length - 1] = { ...step, axis: 'descendant' }
    else steps.push(step)
  }

  private step(): Step {
    if (this.takeSign('.')) return this.withPredicates('self', { is: 'node' })
    if (this.takeSign('..')) return this.withPredicates('parent', { is: 'node' })
    if (this.takeSign('@')) return this.withPredicates('attribute', this.nodeTest('attribute'))
    const axis = this.axis()
    return this.withPredicates(axis, this.nodeTest(axis))
  }

  private axis(): Axis {
    if (this.token.is !== 'name' || this.tokens[this.next + 1]?.text !== '::') return 'child'
    const { text } = this.token
    if (!axes.has(text)) throw this.refuse(`the axis ${text}:: is not supported`)
    this.next += 2
    return text as Axis
  }

  private nodeTest(axis: Axis): NodeTest {
    if (this.takeSign('*')) return { is: 'element' }
    if (this.token.is !== 'name') throw this.refuse('a name, *, text() or node() is expected here')
    const { text } = this.token
    const kindTest =
      this.tokens[this.next + 1]?.text === '(' && Object.hasOwn(kindTests, text) ? kindTests[text] : undefined
    if (kindTest !== undefined) return this.kindTest(kindTest)
    if (axis !== 'attribute' && text.includes(':')) throw this.refuse(`prefixes are not supported: ${text}`)
    this.next++
    return { is: 'name', name: lowerCaseName(text) }
  }

  private kindTest(test: NodeTest): NodeTest {
    this.next += 2
    if (test.is === 'nothing' && this.token.is === 'text') this.next++
    this.expectSign(')')
    return test
  }

  private withPredicates(axis: Axis, test: NodeTest): Step {
    const predicates = this.predicates()
    return { axis, test, predicates, isPositional: predicates.some(isPositional) }
  }

  private predicates(): Expression[] {
    const predicates: Expression[] = []
    while (this.takeSign('[')) {
      predicates.push(this.either())
      this.expectSign(']')
    }
    return predicates
  }

  // The methods below parse values.

  private filtered(): Expression {
    const base = this.primary()
    if (!this.isSign('[')) return base
    if (typeOf(base) !== 'nodes') throw this.refuse('[ ] can filter only nodes')
    return { is: 'filter', base, predicates: this.predicates() }
  }

  private primary(): Expression {
    const { is, text } = this.token
    this.next++
    if (is === 'text') return { is: 'text', value: text }
    if (is === 'number') return { is: 'number', value: Number(text) }
    if (is === 'name') return this.call(text)
    const inner = this.either()
    this.expectSign(')')
    return inner
  }

  private call(written: string): Expression {
    const name = written.startsWith('fn:') ? written.slice(3) : written
    const known = functionTable[name]
    if (known === undefined) {
      throw this.refuse(`the function ${written}() is not supported`, this.next - 1)
    }
    this.expectSign('(')
    const given = this.callArguments()
    const [fewest, most] = known.arguments
    if (given.length < fewest || given.length > most) {
      throw this.refuse(`${name}() takes ${fewest === most ? fewest : `${fewest} to ${most}`} arguments`)
    }
    if (known.takesNodes && given[0] !== undefined && typeOf(given[0]) !== 'nodes') {
      throw this.refuse(`${name}() takes a path`)
    }
    checkPattern(name, given, this.source)
    return { is: 'call', name, arguments: given, returns: known.returns }
  }

  private callArguments(): Expression[] {
    const given: Expression[] = []
    if (this.takeSign(')')) return given
    do given.push(this.either())
    while (this.takeSign(','))
    this.expectSign(')')
    return given
  }

  // The methods below read tokens.

  private get token(): Token {
    return this.tokens[this.next]!
  }

  private startsPrimary(): boolean {
    const { is, text } = this.token
    if (is === 'text' || is === 'number' || (is === 'sign' && text === '(')) return true
    return is === 'name' && this.tokens[this.next + 1]?.text === '(' && !Object.hasOwn(kindTests, text)
  }

  private startsStep(): boolean {
    return this.token.is === 'name' || ['.', '..', '@', '*'].includes(this.token.text)
  }

  private isSign(text: string): boolean {
    return this.token.is === 'sign' && this.token.text === text
  }

  private takeSign(text: string): boolean {
    if (!this.isSign(text)) return false
    this.next++
    return true
  }

  private expectSign(text: string): void {
    if (!this.takeSign(text)) throw this.refuse(`"${text}" is expected here`)
  }

  private takeOperator(...texts: string[]): string | null {
    const { is, text } = this.token
    if (is !== 'operator' || !texts.includes(text)) return null
    this.next++
    return text
  }

  private refuse(why: string, token = this.next): Error {
    return xpathRefusal(this.source, why, this.tokens[token]!.at)
  }
}
