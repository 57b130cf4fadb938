// Finds the mutations of a TypeScript file: flipped conditions, removed awaits, deleted statements.
import { parseSync } from 'vite'

export type MutationKind = 'condition' | 'await' | 'statement'
export const mutationKinds: readonly MutationKind[] = ['condition', 'await', 'statement']

export interface Mutation {
  kind: MutationKind
  /** UTF-16 offsets into the source. */
  start: number
  end: number
  text: string
  /** Counted from 1. */
  line: number
  column: number
}

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

type Change = Pick<Mutation, 'kind' | 'start' | 'end' | 'text'>

/** In the order of the source. */
export function mutationsOf(path: string, source: string): Mutation[] {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`)
  const changes: Change[] = []
  walk(program as unknown as Node, null, (node, parent) => changes.push(...changesOf(node, parent, source)))
  const lineStarts = startsOfLines(source)
  return changes
    .toSorted((a, b) => a.start - b.start || a.end - b.end)
    .map(change => ({ ...change, ...placeOf(lineStarts, change.start) }))
}

/** Type syntax has no effect at run time. These nodes are type syntax around an expression that has an effect. */
const typedExpressions = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

function walk(node: Node, parent: Node | null, visit: (node: Node, parent: Node | null) => void): void {
  if (node.type.startsWith('TS') && !typedExpressions.has(node.type)) return
  if (node.type === 'ImportDeclaration') return
  visit(node, parent)
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, node, visit)
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

function changesOf(node: Node, parent: Node | null, source: string): Change[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return negated(node.test as Node, source)
    case 'BinaryExpression':
    case 'LogicalExpression':
      return withOtherOperator(node, source)
    case 'UnaryExpression':
      return node.operator === '!' ? [replaced('condition', node, textOf(node.argument as Node, source))] : []
    case 'Literal':
      return typeof node.value === 'boolean' ? [replaced('condition', node, String(!node.value))] : []
    case 'AwaitExpression':
      return parent?.type === 'ReturnStatement'
        ? []
        : [replaced('await', node, `(${textOf(node.argument as Node, source)})`)]
    case 'ExpressionStatement':
      return node.directive ? [] : [replaced('statement', node, ';')]
    case 'ReturnStatement':
    case 'ThrowStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return [replaced('statement', node, ';')]
    default:
      return []
  }
}

const otherOperators: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** True for `a === b` and `!a`. Another mutation already inverts their operator, so negating the whole condition adds nothing. */
const isFlippedItself = ({ type, operator }: Node): boolean =>
  (type === 'BinaryExpression' && /^[!=]==?$/.test(String(operator))) ||
  (type === 'UnaryExpression' && operator === '!')

function negated(test: Node, source: string): Change[] {
  const inner = unwrapped(test)
  return isFlippedItself(inner) || inner.type === 'Literal'
    ? []
    : [replaced('condition', test, `!(${textOf(test, source)})`)]
}

const unwrapped = (node: Node): Node =>
  node.type === 'ParenthesizedExpression' ? unwrapped(node.expression as Node) : node

function withOtherOperator(node: Node, source: string): Change[] {
  const operator = String(node.operator)
  const other = otherOperators[operator]
  if (other === undefined) return []
  const [left, right] = [node.left as Node, node.right as Node]
  // Mixing ?? with || or && needs parentheses, which the source may lack.
  const text =
    node.type === 'LogicalExpression'
      ? `((${textOf(left, source)}) ${other} (${textOf(right, source)}))`
      : source.slice(node.start, left.end) +
        source.slice(left.end, right.start).replace(operator, other) +
        source.slice(right.start, node.end)
  return [replaced('condition', node, text)]
}

const textOf = ({ start, end }: Node, source: string): string => source.slice(start, end)

const replaced = (kind: MutationKind, { start, end }: Node, text: string): Change => ({
  ...{ kind, start, end, text },
})

function startsOfLines(source: string): number[] {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function placeOf(lineStarts: number[], offset: number): Pick<Mutation, 'line' | 'column'> {
  const line = lineStarts.findLastIndex(start => start <= offset)
  return { line: line + 1, column: offset - lineStarts[line]! + 1 }
}

/** The change as one readable line. */
export function describeMutation({ kind, start, end, text }: Mutation, source: string): string {
  const before = oneLine(source.slice(start, end))
  if (kind === 'statement') return `delete \`${before}\``
  if (kind === 'await') return `remove await from \`${before}\``
  return `\`${before}\` → \`${oneLine(text)}\``
}

const longestShown = 90

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= longestShown ? line : `${line.slice(0, longestShown)}…`
}
