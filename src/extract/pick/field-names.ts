// Proposes the name of a picked field: from its itemprop, label, heading or class, otherwise from its value.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { headingOf, labelOf } from './labels.ts'
import { type Row, type ValueKind, valueKind } from './leaves.ts'
import { classesOf, ownText, textAt } from './nodes.ts'
import { namePart } from './stable-names.ts'

const attributes = ['itemprop', 'data-field', 'data-testid', 'data-test', 'data-qa', 'data-hook']
const meaningless = new Set(
  'item box col column row wrap wrapper container inner outer content left right top bottom block section group cell line info value val data text txt span div link btn button field el element main body left'.split(
    ' ',
  ),
)
const byKind: Partial<Record<ValueKind, string>> = {
  ...{ money: 'price', date: 'date', image: 'image', email: 'email', phone: 'phone', percent: 'percent' },
}
const byTag: Record<string, string> = {
  ...{ h1: 'title', h2: 'name', h3: 'name', h4: 'name', h5: 'name', h6: 'name', dt: 'name' },
  ...{ time: 'date', img: 'image', p: 'description', strong: 'name', address: 'address', a: 'name' },
}

export function fieldName(document: FlatDocument, row: Row, node: NodeId): string {
  const told =
    byAttribute(document, node) ??
    labelOf(document, row, node) ??
    headingOf(document, row, node) ??
    byClass(document, row, node)
  const kind = valueKind(document, node, textAt(document, node))
  const found = told ?? inlineLabel(document, node) ?? byKind[kind] ?? byTag[document.name(node)]
  return cleanName(found ?? (kind === 'number' ? 'number' : 'text'))
}

function byAttribute(document: FlatDocument, node: NodeId): string | null {
  for (const name of attributes) {
    const value = document.attribute(node, name)?.split(/\s+/)[0]
    const word = value ? lastWord(value) : null
    if (word) return word
  }
  return null
}

/** A name from the classes of the element, or of a parent with the same text. */
function byClass(document: FlatDocument, row: Row, node: NodeId): string | null {
  for (let at = node, steps = 0; at > row.node && steps < 3; at = document.parent(at), steps++) {
    const words = classesOf(document, at)
      .map(name => ({ word: namePart(name).word, cost: namePart(name).cost }))
      .filter(({ word, cost }) => word !== '' && cost < 5)
      .map(({ word }) => lastWord(word))
      .filter(word => word !== null)
    if (words.length > 0) return words[0]!
    const parent = document.parent(at)
    if (textAt(document, parent) !== textAt(document, at)) return null
  }
  return null
}

/** The label in a text such as `Price: 12 €`. */
function inlineLabel(document: FlatDocument, node: NodeId): string | null {
  const found = /^([\p{L}][\p{L} ]{1,20}):\s*\S/u.exec(ownText(document, node))
  return found ? found[1]! : null
}

/** The last word of a class name: `product-card__title` is a title, `productPrice` a price. */
function lastWord(name: string): string | null {
  const words = name
    .replace(/--[\w-]*$/, '')
    .split(/__|--/)
    .at(-1)!
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]+/)
    .filter(word => word !== '' && !/^\d+$/.test(word))
  while (words.length > 1 && meaningless.has(words.at(-1)!)) words.pop()
  const word = words.at(-1)
  return word === undefined || meaningless.has(word) || !/^\p{L}{2,}$/u.test(word) ? null : word
}

/** Converts text to a valid field name of extraction rules. */
export function cleanName(text: string): string {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_\d]+|_+$/g, '')
    .slice(0, 40)
  return name === '' ? 'field' : name
}

export function freeName(taken: ReadonlySet<string>, name: string): string {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}_${number}`
    if (!taken.has(free)) return free
  }
}
