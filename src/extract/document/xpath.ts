// XPath over a document's records, by fontoxpath, which is loaded when the first expression is compiled.

import { createRequire } from 'node:module'
import type * as Fontoxpath from 'fontoxpath'
import { Failure } from '../../model/failures.ts'
import type { FlatDocument } from './flat-document.ts'
import { parseDocument } from './parse-document.ts'
import type { NodeId } from './records.ts'
import { RecordFacade, type XPathNode } from './xpath-facade.ts'
import {
  partCollector,
  refusedPartOf,
  resolveFunction,
  UnknownFunction,
  xpathRefusal,
} from './xpath-syntax.ts'

export interface XPath {
  /** As it was written. */
  readonly source: string
}

/** Nodes one evaluation may look at; fontoxpath takes about a second for so many. */
export const defaultXPathSteps = 1_000_000

const maxLength = 4_096
const maxNesting = 32

/** Checks an expression; one that is wrong, or uses what we do not take, is refused here. */
export function compileXPath(expression: string): XPath {
  checkSize(expression)
  const refused = refusedPartOf(partsOf(expression))
  if (refused !== null) throw xpathRefusal(expression, `${refused} are not taken; use a path with predicates`)
  checkMeaning(expression)
  return { source: expression }
}

/** What the expression gives, in its order. A number is a node (element, text, comment); attributes, and values an
 *  expression computes, come as strings: `count(//a)` gives `'2'`. Paths start at `from`. */
export function evaluateXPath(
  document: FlatDocument,
  xpath: XPath,
  from: NodeId = 0,
): Array<NodeId | string> {
  const facade = new RecordFacade(document, xpath.source, defaultXPathSteps)
  try {
    return evaluate(xpath.source, facade, from).map(resultOf)
  } catch (error) {
    throw evaluationFailure(xpath.source, error)
  }
}

let loaded: typeof Fontoxpath | null = null

/** 300 KB that most jobs never need. */
function fontoxpath(): typeof Fontoxpath {
  loaded ??= createRequire(import.meta.url)('fontoxpath') as typeof Fontoxpath
  return loaded
}

function options(): Fontoxpath.Options {
  const language = fontoxpath().evaluateXPath.XPATH_3_1_LANGUAGE
  return { language, functionNameResolver: resolveFunction }
}

function evaluate(expression: string, facade: RecordFacade, from: NodeId): unknown[] {
  const { evaluateXPath: run } = fontoxpath()
  return run(expression, facade.nodeOf(from), facade, null, run.ALL_RESULTS_TYPE, options())
}

function resultOf(result: unknown): NodeId | string {
  if (typeof result !== 'object' || result === null) return String(result)
  const { id, value } = result as XPathNode
  return value ?? id
}

function checkSize(expression: string): void {
  if (expression.length > maxLength)
    throw xpathRefusal(expression, `longer than ${maxLength} characters`, maxLength)
  let nesting = 0
  for (let at = 0; at < expression.length; at++) {
    if ('([{'.includes(expression[at]!)) nesting++
    else if (')]}'.includes(expression[at]!)) nesting--
    if (nesting > maxNesting) throw xpathRefusal(expression, `nested deeper than ${maxNesting}`, at)
  }
}

function partsOf(expression: string): Set<string> {
  const parts = new Set<string>()
  try {
    fontoxpath().parseScript(expression, options(), partCollector(parts))
  } catch (error) {
    if (error instanceof UnknownFunction)
      throw xpathRefusal(expression, error.message, error.placeIn(expression))
    throw xpathRefusal(expression, 'this is not XPath', placeOf(error))
  }
  return parts
}

/** fontoxpath's messages end with the line and column where it gave up. */
function placeOf(error: unknown): number {
  const place = /at <>:1:(\d+)/.exec(messageOf(error))
  return place === null ? 0 : Number(place[1]) - 1
}

/** Functions, variables and prefixes are only known when the expression is run; an empty page is enough for that. */
function checkMeaning(expression: string): void {
  try {
    evaluate(expression, new RecordFacade(parseDocument(''), expression, defaultXPathSteps), 0)
  } catch (error) {
    const staticError = /XPST\d+:?,? *(.*)/.exec(messageOf(error))
    if (staticError !== null) throw xpathRefusal(expression, staticError[1]!)
  }
}

function evaluationFailure(expression: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const why = messageOf(error).split('\n', 1)[0]!
  const hint = 'where a function takes one node, write (path)[1]'
  return xpathRefusal(expression, `${why} (${hint})`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
