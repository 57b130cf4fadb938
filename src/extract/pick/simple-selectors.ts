// Selectors for one element, each with a cost. Names that a site will probably not change have a low cost.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { classesOf } from './nodes.ts'
import { cssName, cssText, isRandom, namePart } from './stable-names.ts'

export interface Simple {
  css: string
  cost: number
  isHashed: boolean
}

/** Attributes that say what an element is for. */
const naming = [
  ...[
    'itemprop',
    'data-testid',
    'data-test',
    'data-test-id',
    'data-qa',
    'data-cy',
    'data-hook',
    'data-field',
  ],
  ...['data-role', 'data-type', 'data-component', 'data-element', 'property'],
  ...['rel', 'role', 'name', 'scope'],
]
const costOf = { naming: 1, itemtype: 1, present: 2, telling: 2, plain: 4, id: 1 }

/** Tags that only few elements of a row have, so they identify an element well. */
const telling = new Set(
  'h1 h2 h3 h4 h5 h6 a img time article li tr dt figure figcaption address button strong em b i small del ins mark label caption blockquote code data meter table tbody ul ol dl main section header footer summary'.split(
    ' ',
  ),
)

/** All simple selectors of an element, cheapest first. */
export function simpleSelectors(document: FlatDocument, node: NodeId): Simple[] {
  const tag = document.name(node)
  const found: Simple[] = [
    { css: tag, cost: telling.has(tag) ? costOf.telling : costOf.plain, isHashed: false },
  ]
  const add = (css: string, cost: number, isHashed = false) => found.push({ css, cost, isHashed })
  for (const [name, value] of document.attributes(node)) {
    if (naming.includes(name) && value !== '' && value.length < 60 && !isRandom(value))
      add(`[${name}=${cssText(value)}]`, costOf.naming + (name === 'role' ? 1 : 0))
    else if (name === 'itemtype') add(`[itemtype=${cssText(value)}]`, costOf.itemtype)
    else if (
      /^data-[a-z][a-z-]*$/.test(name) &&
      !isRandom(name) &&
      !/^data-(?:v|reactid|aos|bs|n-head)/.test(name)
    )
      add(`[${name}]`, costOf.present)
  }
  for (const name of new Set(classesOf(document, node))) {
    const part = namePart(name)
    add(part.css, part.cost, part.isHashed)
    if (!part.isHashed && part.cost < 5) add(`${tag}${part.css}`, part.cost + 0.5)
  }
  return found.sort((one, other) => one.cost - other.cost)
}

/** Selectors for an element that contains the wanted elements. They may use its id. */
export function contextSelectors(document: FlatDocument, node: NodeId): Simple[] {
  const id = document.attribute(node, 'id')
  const simple = simpleSelectors(document, node).filter(({ isHashed }) => !isHashed)
  if (!id || isRandom(id) || /\d{2,}/.test(id)) return simple
  return [{ css: `#${cssName(id)}`, cost: costOf.id, isHashed: false }, ...simple]
}
