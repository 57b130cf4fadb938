// What of XPath we take: paths, predicates, operators and plain functions. Loops and what reaches out are refused.

import type { ISimpleNodesFactory, LexicalQualifiedName, ResolvedQualifiedName } from 'fontoxpath'
import { Failure } from '../../model/failures.ts'

const functionNamespace = 'http://www.w3.org/2005/xpath-functions'

/** Everything else is refused: some functions fetch, wait or run a regular expression without end. */
const functions = new Set(
  (
    'last position count local-name name namespace-uri node-name string concat string-join starts-with ends-with ' +
    'contains substring-before substring-after substring string-length normalize-space translate upper-case lower-case ' +
    'boolean not true false number sum avg min max floor ceiling round abs exists empty data head tail reverse ' +
    'subsequence zero-or-one exactly-one one-or-more root has-children'
  ).split(' '),
)

/** Parts of an expression that can run for long without looking at the page, by their name in the syntax tree. */
const refusedParts: Record<string, string> = {
  'xqx:flworExpr': 'for and let',
  'xqx:quantifiedExpr': 'some and every',
  'xqx:rangeSequenceExpr': 'ranges (1 to 9)',
  'xqx:inlineFunctionExpr': 'functions of its own',
  'xqx:namedFunctionRef': 'references to functions',
  'xqx:dynamicFunctionInvocationExpr': 'calls of computed functions',
  'xqx:mapConstructor': 'maps',
  'xqx:arrayConstructor': 'arrays',
}

export function xpathRefusal(expression: string, why: string, at = 0): Failure {
  const shown = expression.length > 200 ? `${expression.slice(0, 200)}…` : expression
  return new Failure('input.invalid', `XPath "${shown}", at character ${at + 1}: ${why}`, {
    xpath: shown,
    at,
  })
}

/** Handed to fontoxpath, which asks it for every function an expression names. */
export function resolveFunction(name: LexicalQualifiedName): ResolvedQualifiedName {
  const isKnown = (name.prefix === '' || name.prefix === 'fn') && functions.has(name.localName)
  if (!isKnown) throw new UnknownFunction(name.prefix ? `${name.prefix}:${name.localName}` : name.localName)
  return { namespaceURI: functionNamespace, localName: name.localName }
}

export class UnknownFunction extends Error {
  private readonly functionName: string

  constructor(functionName: string) {
    super(`the function ${functionName}() is not known; for patterns use a regex rule`)
    this.functionName = functionName
  }

  placeIn(expression: string): number {
    return Math.max(0, expression.indexOf(this.functionName))
  }
}

/** The parser builds its tree with this; all we want of the tree is which parts it has. */
export function partCollector(parts: Set<string>): ISimpleNodesFactory {
  const node = () => {
    const children: unknown[] = []
    return {
      appendChild: (child: unknown) => children.push(child),
      insertBefore: (child: unknown) => children.unshift(child),
      setAttributeNS: () => {},
      get firstChild() {
        return children[0] ?? null
      },
    }
  }
  const create = (name: string) => {
    parts.add(name)
    return node()
  }
  return {
    createElementNS: (_namespace: string, name: string) => create(name),
    createTextNode: node,
    createComment: node,
    createCDATASection: node,
    createProcessingInstruction: node,
  } as unknown as ISimpleNodesFactory
}

/** What the expression uses and we do not take, in words; null when there is nothing. */
export function refusedPartOf(parts: Set<string>): string | null {
  const part = [...parts].find(name => name in refusedParts)
  return part === undefined ? null : refusedParts[part]!
}
