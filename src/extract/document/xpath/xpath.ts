// XPath on documents. Compile an expression once, then evaluate it on many pages.

import type { FlatDocument } from '../flat-document.ts'
import type { NodeId } from '../records.ts'
import { Evaluation } from './xpath-evaluate.ts'
import type { Expression } from './xpath-expression.ts'
import { XPathNodes } from './xpath-nodes.ts'
import { parseXPath } from './xpath-parse.ts'

export interface XPath {
  /** The expression as it was written. */
  readonly source: string
  readonly expression: Expression
}

/** Compiles XPath 1.0 and a few functions of later versions and of EXSLT (`xpath-functions.ts`). Names are in lower
 *  case, as in HTML. Refusals name the position of the unsupported part. */
export function compileXPath(source: string): XPath {
  return { source, expression: parseXPath(source) }
}

/** Evaluates an expression; paths start at `from`. Returns a list in document order. Elements, texts and
 *  comments are returned as node numbers, attributes and computed values as strings: `count(//a)` gives
 *  `'2'`. */
export function evaluateXPath(
  document: FlatDocument,
  xpath: XPath,
  from: NodeId = 0,
): Array<NodeId | string> {
  const nodes = new XPathNodes(document, xpath.source)
  const evaluation = new Evaluation(nodes)
  const value = evaluation.evaluate(xpath.expression, { node: from, position: 1, size: 1 })
  if (!Array.isArray(value)) return [evaluation.toText(value)]
  return value.map(node => nodes.attributeOf(node)?.value ?? node)
}
