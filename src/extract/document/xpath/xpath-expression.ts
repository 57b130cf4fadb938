// The parsed form of an XPath expression, and checks that need no document.

export type Axis =
  | 'ancestor'
  | 'ancestor-or-self'
  | 'attribute'
  | 'child'
  | 'descendant'
  | 'descendant-or-self'
  | 'following'
  | 'following-sibling'
  | 'parent'
  | 'preceding'
  | 'preceding-sibling'
  | 'self'

/** `name` matches elements with this name, `element` is `*`, and the others test the kind of node. */
export type NodeTest =
  | { is: 'name'; name: string }
  | { is: 'element' | 'node' | 'text' | 'comment' | 'nothing' }

export interface Step {
  axis: Axis
  test: NodeTest
  predicates: Expression[]
  /** True if a predicate depends on positions. Positions are then counted separately for each start node. */
  isPositional: boolean
}

export type Expression =
  | { is: 'text'; value: string }
  | { is: 'number'; value: number }
  | { is: 'either' | 'both' | 'union'; left: Expression; right: Expression }
  | { is: 'comparison'; operator: Comparison; left: Expression; right: Expression }
  | { is: 'arithmetic'; operator: Arithmetic; left: Expression; right: Expression }
  | { is: 'negation'; value: Expression }
  | { is: 'call'; name: string; arguments: Expression[]; returns: ValueType }
  | { is: 'path'; start: 'root' | 'context' | Expression; steps: Step[] }
  | { is: 'filter'; base: Expression; predicates: Expression[] }

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='
export type Arithmetic = '+' | '-' | '*' | 'div' | 'mod'
export type ValueType = 'nodes' | 'text' | 'number' | 'boolean'

export function typeOf(expression: Expression): ValueType {
  switch (expression.is) {
    case 'text':
      return 'text'
    case 'number':
    case 'arithmetic':
    case 'negation':
      return 'number'
    case 'either':
    case 'both':
    case 'comparison':
      return 'boolean'
    case 'call':
      return expression.returns
    default:
      return 'nodes'
  }
}

/** True if the predicate is a number or calls `position()` or `last()`. */
export function isPositional(predicate: Expression): boolean {
  return typeOf(predicate) === 'number' || asksForPosition(predicate)
}

function asksForPosition(expression: Expression): boolean {
  switch (expression.is) {
    case 'call':
      return (
        expression.name === 'position' ||
        expression.name === 'last' ||
        expression.arguments.some(asksForPosition)
      )
    case 'either':
    case 'both':
    case 'union':
    case 'comparison':
    case 'arithmetic':
      return asksForPosition(expression.left) || asksForPosition(expression.right)
    case 'negation':
      return asksForPosition(expression.value)
    case 'filter':
      return asksForPosition(expression.base)
    case 'path':
      return typeof expression.start === 'object' && asksForPosition(expression.start)
    default:
      return false
  }
}
