// Evaluates a parsed XPath expression on a page, by the rules of XPath 1.0.

import type { Axis, Comparison, Expression, Step } from './xpath-expression.ts'
import { type CallContext, functionTable, type NodeRef, type Value } from './xpath-functions.ts'
import type { XPathNodes } from './xpath-nodes.ts'

/** The context of an expression: a node, and its position among the candidates of a predicate. */
interface Place {
  node: NodeRef
  position: number
  size: number
}

/** Axes that run in reverse document order. */
const reverseAxes = new Set<Axis>(['ancestor', 'ancestor-or-self', 'preceding', 'preceding-sibling'])

/** If a step has found more nodes than this, duplicates are removed during the step. */
const mostUnchecked = 10_000

/** The nodes that a step has reached: one byte per node of the page, and a set for attributes. */
class SeenNodes {
  private readonly ofPage: Uint8Array
  private readonly attributes = new Set<NodeRef>()

  constructor(size: number) {
    this.ofPage = new Uint8Array(size)
  }

  /** Adds the node. Returns false if it was already added. */
  add(node: NodeRef): boolean {
    if (node >= this.ofPage.length) return this.attributes.size < this.attributes.add(node).size
    if (this.ofPage[node] === 1) return false
    this.ofPage[node] = 1
    return true
  }
}

export class Evaluation {
  private readonly nodes: XPathNodes

  constructor(nodes: XPathNodes) {
    this.nodes = nodes
  }

  evaluate(expression: Expression, place: Place): Value {
    this.nodes.spend(1)
    switch (expression.is) {
      case 'text':
      case 'number':
        return expression.value
      case 'either':
        return this.holds(expression.left, place) || this.holds(expression.right, place)
      case 'both':
        return this.holds(expression.left, place) && this.holds(expression.right, place)
      case 'union':
        return this.inOrder([
          ...this.nodesOf(expression.left, place),
          ...this.nodesOf(expression.right, place),
        ])
      case 'comparison':
        return this.compare(
          expression.operator,
          this.evaluate(expression.left, place),
          this.evaluate(expression.right, place),
        )
      case 'arithmetic':
        return calculate(
          expression.operator,
          this.number(expression.left, place),
          this.number(expression.right, place),
        )
      case 'negation':
        return -this.number(expression.value, place)
      case 'call':
        return this.call(expression, place)
      case 'path':
        return this.path(expression, place)
      case 'filter':
        return this.filter(this.nodesOf(expression.base, place), expression.predicates)
    }
  }

  private holds(expression: Expression, place: Place): boolean {
    return this.toBoolean(this.evaluate(expression, place))
  }

  private number(expression: Expression, place: Place): number {
    return this.toNumber(this.evaluate(expression, place))
  }

  /** Evaluates an expression that yields nodes. The parser accepts only paths in these positions. */
  private nodesOf(expression: Expression, place: Place): NodeRef[] {
    return this.evaluate(expression, place) as NodeRef[]
  }

  private call(expression: Extract<Expression, { is: 'call' }>, place: Place): Value {
    const given = expression.arguments.map(argument => this.evaluate(argument, place))
    const context: CallContext = {
      ...place,
      nameOf: node => this.nodes.nameOf(node),
      namespaceOf: node => this.nodes.namespaceOf(node),
      withId: ids => this.nodes.withId(ids),
      isInLanguage: language => this.nodes.isInLanguage(place.node, language),
      classesOf: node => this.nodes.classesOf(node),
      finds: (text, pattern, flags) => this.nodes.finds(text, pattern, flags),
      textOf: node => this.nodes.textOf(node),
      toText: value => this.toText(value),
      toNumber: value => this.toNumber(value),
      toBoolean: value => this.toBoolean(value),
    }
    return functionTable[expression.name]!.call(context, given)
  }

  // The methods below evaluate paths.

  private path({ start, steps }: Extract<Expression, { is: 'path' }>, place: Place): NodeRef[] {
    let nodes = start === 'root' ? [0] : start === 'context' ? [place.node] : this.nodesOf(start, place)
    for (const step of steps) nodes = this.step(nodes, step)
    return nodes
  }

  private step(starts: NodeRef[], step: Step): NodeRef[] {
    const goesDown = step.axis === 'descendant' || step.axis === 'descendant-or-self'
    if (goesDown && !step.isPositional) return this.filter(this.below(starts, step), step.predicates)
    let found: NodeRef[] = []
    let seen: SeenNodes | null = null
    for (const start of starts) {
      const candidates = this.filter(this.nodes.along(step.axis, start, step.test), step.predicates)
      if (reverseAxes.has(step.axis)) candidates.reverse()
      for (const node of candidates) if (seen === null || seen.add(node)) found.push(node)
      if (seen !== null || found.length <= mostUnchecked) continue
      // A step such as `//*/following::*` reaches each node thousands of times. From now on, each node is added once.
      const noted = new SeenNodes(this.nodes.document.size)
      found = found.filter(node => noted.add(node))
      seen = noted
    }
    return starts.length > 1 ? this.inOrder(found) : found
  }

  /** Nodes below the start nodes. Subtrees are nested or disjoint, so a single pass visits each node once. */
  private below(starts: NodeRef[], { axis, test }: Step): NodeRef[] {
    const { document } = this.nodes
    const found: NodeRef[] = []
    let end = 0
    for (const start of starts) {
      if (start >= document.size || document.end(start) <= end) continue
      this.nodes.inRange(axis === 'descendant' ? start + 1 : start, document.end(start), test, found)
      end = document.end(start)
    }
    return found
  }

  private filter(nodes: NodeRef[], predicates: Expression[]): NodeRef[] {
    let left = nodes
    for (const predicate of predicates) {
      const size = left.length
      left = left.filter((node, index) => this.picks(predicate, { node, position: index + 1, size }))
    }
    return left
  }

  private picks(predicate: Expression, place: Place): boolean {
    const value = this.evaluate(predicate, place)
    return typeof value === 'number' ? value === place.position : this.toBoolean(value)
  }

  /** Sorts nodes in document order and removes duplicates. Most lists are already in order. */
  private inOrder(nodes: NodeRef[]): NodeRef[] {
    this.nodes.spend(nodes.length)
    const orders = nodes.map(node => this.nodes.order(node))
    if (orders.every((order, index) => index === 0 || order > orders[index - 1]!)) return nodes
    const { nodes: page } = this
    const sorted = [...nodes].sort(
      (first, second) => page.order(first) - page.order(second) || first - second,
    )
    return sorted.filter((node, index) => node !== sorted[index - 1])
  }

  // The methods below convert and compare values.

  toText(value: Value): string {
    if (typeof value === 'string') return value
    if (typeof value === 'number') return numberText(value)
    if (typeof value === 'boolean') return String(value)
    return value.length === 0 ? '' : this.nodes.textOf(value[0]!)
  }

  toNumber(value: Value): number {
    if (typeof value === 'number') return value
    if (typeof value === 'boolean') return value ? 1 : 0
    return numberIn(this.toText(value))
  }

  toBoolean(value: Value): boolean {
    if (typeof value === 'boolean') return value
    if (typeof value === 'number') return value !== 0 && !Number.isNaN(value)
    return value.length > 0
  }

  /** A comparison with a node set is true if it is true for at least one node in the set. */
  private compare(operator: Comparison, left: Value, right: Value): boolean {
    if (!Array.isArray(left) && !Array.isArray(right)) return this.compareValues(operator, left, right)
    if (typeof left === 'boolean') return this.compareValues(operator, left, this.toBoolean(right))
    if (typeof right === 'boolean') return this.compareValues(operator, this.toBoolean(left), right)
    if (!Array.isArray(right))
      return this.textsOf(left).some(text => this.compareValues(operator, text, right))
    if (!Array.isArray(left))
      return this.textsOf(right).some(text => this.compareValues(operator, left, text))
    return this.compareNodes(operator, this.textsOf(left), this.textsOf(right))
  }

  private textsOf(value: Value): string[] {
    return (value as NodeRef[]).map(node => this.nodes.textOf(node))
  }

  /** Compares two node sets through a set of values, which is faster than comparing all pairs. */
  private compareNodes(operator: Comparison, left: string[], right: string[]): boolean {
    if (left.length === 0 || right.length === 0) return false
    const others = new Set(right)
    if (operator === '=') return left.some(text => others.has(text))
    if (operator === '!=') return others.size > 1 || left.some(text => !others.has(text))
    const seeksLess = operator.startsWith('<')
    return this.compareValues(operator, extreme(left, seeksLess), extreme(right, !seeksLess))
  }

  private compareValues(operator: Comparison, left: Value, right: Value): boolean {
    if (operator === '=' || operator === '!=') return this.areEqual(left, right) === (operator === '=')
    const [first, second] = [this.toNumber(left), this.toNumber(right)]
    if (operator === '<') return first < second
    if (operator === '<=') return first <= second
    return operator === '>' ? first > second : first >= second
  }

  private areEqual(left: Value, right: Value): boolean {
    if (typeof left === 'boolean' || typeof right === 'boolean')
      return this.toBoolean(left) === this.toBoolean(right)
    if (typeof left === 'number' || typeof right === 'number')
      return this.toNumber(left) === this.toNumber(right)
    return left === right
  }
}

/** XPath numbers have no exponents, plus signs or other bases. */
function numberIn(text: string): number {
  const trimmed = text.trim()
  return /^-?(\d+(\.\d*)?|\.\d+)$/.test(trimmed) ? Number(trimmed) : Number.NaN
}

/** The smallest or largest number among the texts. Texts that are not numbers are ignored. */
function extreme(texts: string[], least: boolean): number {
  const numbers = texts.map(numberIn).filter(value => !Number.isNaN(value))
  if (numbers.length === 0) return Number.NaN
  return numbers.reduce((best, value) => (least ? Math.min(best, value) : Math.max(best, value)))
}

function calculate(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case 'div':
      return left / right
    default:
      return left % right
  }
}

/** XPath writes numbers without exponents. */
function numberText(value: number): string {
  const text = String(value)
  if (!text.includes('e') || !Number.isFinite(value)) return text
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
}
