// The functions of XPath 1.0 that are useful for HTML pages, and a few later ones that scrapers often use.

import type { ValueType } from './xpath-expression.ts'

/** Numbers below the size of the document are its nodes; larger ones are attributes (`XPathNodes`). */
export type NodeRef = number
export type Value = NodeRef[] | string | number | boolean

/** The context that a function call gets. */
export interface CallContext {
  node: NodeRef
  position: number
  size: number
  nameOf(node: NodeRef): string
  namespaceOf(node: NodeRef): string
  /** The first element with each id, in document order. */
  withId(ids: string[]): NodeRef[]
  isInLanguage(language: string): boolean
  classesOf(node: NodeRef): string
  /** Whether the regular expression matches the text. */
  finds(text: string, pattern: string, flags: string): boolean
  textOf(node: NodeRef): string
  toText(value: Value): string
  toNumber(value: Value): number
  toBoolean(value: Value): boolean
}

interface XPathFunction {
  /** Minimum and maximum number of arguments. */
  arguments: readonly [number, number]
  /** True if the first argument must be a path. */
  takesNodes?: boolean
  returns: ValueType
  call(context: CallContext, given: Value[]): Value
}

/** Many functions use the current node if they get no argument. */
function firstOrSelf({ node }: CallContext, given: Value[]): Value {
  return given[0] ?? [node]
}

function textAt(context: CallContext, given: Value[], index: number): string {
  return context.toText(given[index]!)
}

const text = (most: number, call: XPathFunction['call'], fewest = most): XPathFunction => {
  return { arguments: [fewest, most], returns: 'text', call }
}
const truth = (fewest: number, call: XPathFunction['call'], most = fewest): XPathFunction => {
  return { arguments: [fewest, most], returns: 'boolean', call }
}
const number = (fewest: number, most: number, call: XPathFunction['call']): XPathFunction => {
  return { arguments: [fewest, most], returns: 'number', call }
}
const ofNodes = (definition: XPathFunction): XPathFunction => ({ ...definition, takesNodes: true })

const nameOfFirst: XPathFunction['call'] = (context, given) => {
  const [first] = firstOrSelf(context, given) as NodeRef[]
  return first === undefined ? '' : context.nameOf(first)
}

const namespaceOfFirst: XPathFunction['call'] = (context, given) => {
  const [first] = firstOrSelf(context, given) as NodeRef[]
  return first === undefined ? '' : context.namespaceOf(first)
}

export const functionTable: Record<string, XPathFunction | undefined> = Object.assign(Object.create(null), {
  last: number(0, 0, context => context.size),
  position: number(0, 0, context => context.position),
  count: ofNodes(number(1, 1, (_, [nodes]) => (nodes as NodeRef[]).length)),
  exists: ofNodes(truth(1, (_, [nodes]) => (nodes as NodeRef[]).length > 0)),
  empty: ofNodes(truth(1, (_, [nodes]) => (nodes as NodeRef[]).length === 0)),
  name: ofNodes(text(1, nameOfFirst, 0)),
  'local-name': ofNodes(text(1, nameOfFirst, 0)),
  'namespace-uri': ofNodes(text(1, namespaceOfFirst, 0)),
  id: {
    arguments: [1, 1],
    returns: 'nodes',
    call: (context, [given]) => context.withId(idsIn(context, given!)),
  },
  lang: truth(1, (context, given) => context.isInLanguage(textAt(context, given, 0))),
  'has-class': truth(1, hasClasses, 64),
  're:test': truth(2, finds, 3),
  matches: truth(2, finds, 3),
  string: text(1, (context, given) => context.toText(firstOrSelf(context, given)), 0),
  data: text(1, (context, given) => context.toText(firstOrSelf(context, given)), 0),
  concat: text(64, (context, given) => given.map(value => context.toText(value)).join(''), 2),
  'string-join': ofNodes(text(2, joinTexts, 1)),
  'starts-with': truth(2, (context, given) =>
    textAt(context, given, 0).startsWith(textAt(context, given, 1)),
  ),
  'ends-with': truth(2, (context, given) => textAt(context, given, 0).endsWith(textAt(context, given, 1))),
  contains: truth(2, (context, given) => textAt(context, given, 0).includes(textAt(context, given, 1))),
  'substring-before': text(2, (context, given) => split(context, given)[0]),
  'substring-after': text(2, (context, given) => split(context, given)[1]),
  substring: text(3, substring, 2),
  'string-length': number(0, 1, (context, given) => [...context.toText(firstOrSelf(context, given))].length),
  'normalize-space': text(
    1,
    (context, given) => normalizeSpace(context.toText(firstOrSelf(context, given))),
    0,
  ),
  translate: text(3, translate),
  'upper-case': text(1, (context, given) => textAt(context, given, 0).toUpperCase()),
  'lower-case': text(1, (context, given) => textAt(context, given, 0).toLowerCase()),
  boolean: truth(1, (context, given) => context.toBoolean(given[0]!)),
  not: truth(1, (context, given) => !context.toBoolean(given[0]!)),
  true: truth(0, () => true),
  false: truth(0, () => false),
  number: number(0, 1, (context, given) => context.toNumber(firstOrSelf(context, given))),
  sum: ofNodes(
    number(1, 1, (context, [nodes]) =>
      (nodes as NodeRef[]).reduce((total, node) => total + context.toNumber([node]), 0),
    ),
  ),
  floor: number(1, 1, (context, given) => Math.floor(context.toNumber(given[0]!))),
  ceiling: number(1, 1, (context, given) => Math.ceil(context.toNumber(given[0]!))),
  round: number(1, 1, (context, given) => Math.round(context.toNumber(given[0]!))),
  abs: number(1, 1, (context, given) => Math.abs(context.toNumber(given[0]!))),
} satisfies Record<string, XPathFunction>)

function idsIn(context: CallContext, given: Value): string[] {
  const texts = Array.isArray(given) ? given.map(node => context.textOf(node)) : [context.toText(given)]
  return texts.flatMap(text => text.split(/[\t\n\r ]+/)).filter(id => id !== '')
}

/** True if the element has all given classes, as in parsel. */
function hasClasses(context: CallContext, given: Value[]): boolean {
  const own = context.classesOf(context.node).split(/[\t\n\f\r ]+/)
  return given.every(name => own.includes(context.toText(name)))
}

function finds(context: CallContext, given: Value[]): boolean {
  const flags = given[2] === undefined ? '' : context.toText(given[2])
  return context.finds(textAt(context, given, 0), textAt(context, given, 1), flags)
}

function joinTexts(context: CallContext, given: Value[]): string {
  const separator = given[1] === undefined ? '' : context.toText(given[1])
  return (given[0] as NodeRef[]).map(node => context.textOf(node)).join(separator)
}

function split(context: CallContext, given: Value[]): [string, string] {
  const whole = textAt(context, given, 0)
  const separator = textAt(context, given, 1)
  const at = whole.indexOf(separator)
  return at === -1 ? ['', ''] : [whole.slice(0, at), whole.slice(at + separator.length)]
}

/** Positions start at 1. Fractions are rounded, and positions outside the text are ignored. */
function substring(context: CallContext, given: Value[]): string {
  const characters = [...textAt(context, given, 0)]
  const first = Math.round(context.toNumber(given[1]!))
  const end =
    given[2] === undefined ? Number.POSITIVE_INFINITY : first + Math.round(context.toNumber(given[2]))
  return characters.filter((_, index) => index + 1 >= first && index + 1 < end).join('')
}

function normalizeSpace(text: string): string {
  return text.replace(/[\t\n\r ]+/g, ' ').replace(/^ | $/g, '')
}

function translate(context: CallContext, given: Value[]): string {
  const from = [...textAt(context, given, 1)]
  const to = [...textAt(context, given, 2)]
  const table = new Map(
    from.map((character, index) => [character, to[index] ?? '']).reverse() as Array<[string, string]>,
  )
  return [...textAt(context, given, 0)].map(character => table.get(character) ?? character).join('')
}
