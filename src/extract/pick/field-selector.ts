// Finds the selector of a field inside its row: the cheapest selector that finds the corresponding parts of all rows.
import {
  compileSelector,
  compileXPath,
  evaluateXPath,
  type FlatDocument,
  type NodeId,
  type Selector,
  selectFirst,
} from '../document/index.ts'
import { labelNode, labelOf } from './labels.ts'
import type { Row } from './leaves.ts'
import { chainBelow, childElements, classesOf, placeOf } from './nodes.ts'
import { contextSelectors, type Simple, simpleSelectors } from './simple-selectors.ts'
import { cssText, namePart } from './stable-names.ts'

export type Finder = { css: string } | { xpath: string }

interface Candidate {
  finder: Finder
  cost: number
}

const weight = 200
const mostRows = 40

/** `targets` are the parts that the selector should find, one per row. `examples` are the clicked parts, which it must find. */
export function fieldSelector(
  document: FlatDocument,
  rows: readonly Row[],
  targets: readonly NodeId[],
  examples: readonly NodeId[],
): Finder {
  const sample = sampleOf(rows, targets, examples)
  const all = dedupe(examples.flatMap(example => candidatesFor(document, rowOf(rows, example), example)))
  const judged: Judged[] = []
  // Try cheap selectors first. The first selector that finds the targets of all rows is the best one.
  for (const { finder, cost } of all.sort((one, other) => one.cost - other.cost)) {
    const one = judge(document, finder, cost, sample, examples)
    if (one.isExact) return finder
    judged.push(one)
  }
  judged.sort((one, other) => other.score - one.score)
  const best = judged.find(({ hitsExamples }) => hitsExamples)
  return best?.finder ?? union(document, rows, examples, judged[0]!.finder, judged)
}

interface Judged {
  finder: Finder
  hitsExamples: boolean
  isExact: boolean
  score: number
}

function judge(
  document: FlatDocument,
  finder: Finder,
  cost: number,
  sample: ReadonlyArray<{ row: Row; target: NodeId }>,
  examples: readonly NodeId[],
): Judged {
  let hits = 0
  let hitsExamples = true
  for (const { row, target } of sample) {
    if (find(document, finder, row) === target) hits += 1
    else if (examples.includes(target)) hitsExamples = false
  }
  const isExact = hits === sample.length
  return { finder, hitsExamples, isExact, score: (hits / sample.length) * weight - cost }
}

/** If no selector finds all clicked parts (`examples`), joins one selector per part to a list. */
function union(
  document: FlatDocument,
  rows: readonly Row[],
  examples: readonly NodeId[],
  best: Finder,
  judged: ReadonlyArray<{ finder: Finder }>,
): Finder {
  const parts = new Set<string>()
  for (const example of examples) {
    const one = judged.find(({ finder }) => find(document, finder, rowOf(rows, example)) === example)
    if (one && 'css' in one.finder) parts.add(one.finder.css)
  }
  return parts.size > 0 ? { css: [...parts].join(', ') } : best
}

const rowOf = (rows: readonly Row[], node: NodeId): Row =>
  rows.find(row => node >= row.node && node < row.end)!

function sampleOf(rows: readonly Row[], targets: readonly NodeId[], examples: readonly NodeId[]) {
  const all = rows.map((row, index) => ({ row, target: targets[index]! }))
  const step = Math.max(1, Math.ceil(all.length / mostRows))
  return all.filter(({ target }, index) => index % step === 0 || examples.includes(target))
}

/** The element that the finder yields for a row; -1 if it finds none. */
export function find(document: FlatDocument, finder: Finder, row: Row): NodeId {
  if ('css' in finder) {
    if (finder.css === ':scope') return row.node
    return selectFirst(document, compiled(finder.css), row.node)
  }
  const [first] = evaluateXPath(document, compileXPath(finder.xpath), row.node)
  return typeof first === 'number' ? first : -1
}

let last: { css: string; selector: Selector } | null = null

/** Caches the last compiled selector, because it is evaluated for one row after another. */
function compiled(css: string): Selector {
  if (last?.css !== css) last = { css, selector: compileSelector(css) }
  return last.selector
}

function dedupe(candidates: readonly Candidate[]): Candidate[] {
  const cheapest = new Map<string, Candidate>()
  for (const one of candidates) {
    const key = JSON.stringify(one.finder)
    if ((cheapest.get(key)?.cost ?? Number.POSITIVE_INFINITY) > one.cost) cheapest.set(key, one)
  }
  return [...cheapest.values()]
}

function candidatesFor(document: FlatDocument, row: Row, node: NodeId): Candidate[] {
  if (node === row.node) return [{ finder: { css: ':scope' }, cost: 0 }]
  if (node >= document.end(row.node)) return followers(document, row, node)
  // Use ids only if the row is the whole page. An id occurs once per page, so it cannot find a part in each row.
  const isPage = document.name(row.node) === 'body'
  const own = (isPage ? contextSelectors : simpleSelectors)(document, node).slice(0, 10)
  const css = [
    ...own.map(({ css, cost }) => ({ css, cost })),
    ...inContexts(document, row, node, own),
    ...byLabel(document, row, node, own),
    ...afterSibling(document, node, own),
    ...paths(document, row, node),
    ...anchored(document, row, node),
  ]
  return css.map(({ css, cost }) => ({ finder: { css }, cost }))
}

type Css = { css: string; cost: number }

function inContexts(document: FlatDocument, row: Row, node: NodeId, own: readonly Simple[]): Css[] {
  const above = chainBelow(document, row.node, node).slice(0, -1).reverse().slice(0, 5)
  const found: Css[] = []
  if (above.length === 0)
    for (const { css, cost } of own) found.push({ css: `:scope > ${css}`, cost: cost + 1 })
  for (const [steps, ancestor] of above.entries())
    for (const context of contextSelectors(document, ancestor).slice(0, 4))
      for (const { css, cost } of own.slice(0, 5)) {
        const sum = cost + 0.6 * context.cost + 0.5 + 0.3 * steps
        if (steps === 0) found.push({ css: `${context.css} > ${css}`, cost: sum })
        found.push({ css: `${context.css} ${css}`, cost: sum + 0.2 })
      }
  return found
}

/** Selectors by label, such as `dt:contains("Price") + dd`. Labels change less often than markup. */
function byLabel(document: FlatDocument, row: Row, node: NodeId, own: readonly Simple[]): Css[] {
  const label = labelNode(document, row, node)
  if (label === -1) return []
  const text = cssText(labelOf(document, row, node)!)
  return simpleSelectors(document, label)
    .slice(0, 3)
    .flatMap(before =>
      own.slice(0, 3).map(({ css, cost }) => ({
        css: `${before.css}:contains(${text}) + ${css}`,
        cost: 0.4 + 0.1 * (before.cost + cost),
      })),
    )
}

function afterSibling(document: FlatDocument, node: NodeId, own: readonly Simple[]): Css[] {
  const place = placeOf(document, node)
  const before = childElements(document, document.parent(node))[place - 2]
  if (before === undefined) return []
  return contextSelectors(document, before)
    .slice(0, 3)
    .flatMap(context =>
      own
        .slice(0, 3)
        .map(({ css, cost }) => ({ css: `${context.css} + ${css}`, cost: 3 + context.cost + cost })),
    )
}

/** Selectors that go step by step from the row, by tags, and by position where tags are not unique. */
function paths(document: FlatDocument, row: Row, node: NodeId): Css[] {
  const chain = chainBelow(document, row.node, node)
  const tags = chain.map(at => document.name(at))
  const isCell = ['td', 'th'].includes(tags[0]!)
  const length = chain.length
  const found: Css[] = [{ css: `:scope > ${tags.join(' > ')}`, cost: 4 + length }]
  const placed = chain.map((at, index) => `${tags[index]}:nth-child(${placeOf(document, at)})`)
  const fromEnd = chain.map((at, index) => `${tags[index]}${lastPlace(document, at)}`)
  // Cells often have no names, so a column of a table is found by its number.
  if (isCell)
    for (const rest of length === 1 ? [''] : [` ${tags.at(-1)}`, ` > ${placed.slice(1).join(' > ')}`])
      found.push({ css: `${placed[0]}${rest}`, cost: 4 + (rest === '' ? 0 : 1) })
  found.push({ css: `:scope > ${placed.join(' > ')}`, cost: 8 + length })
  found.push({ css: placed.at(-1)!, cost: 7.5 })
  found.push({ css: fromEnd.at(-1)!, cost: 7.5 })
  for (let index = 0; index < length; index++) {
    const some = tags.map((tag, at) => (at === index ? placed[at]! : tag))
    found.push({ css: `:scope > ${some.join(' > ')}`, cost: 7 + length })
    const last = tags.map((tag, at) => (at === index ? fromEnd[at]! : tag))
    found.push({ css: `:scope > ${last.join(' > ')}`, cost: 7.2 + length })
  }
  return found
}

/** Selectors that start at an ancestor with a class or attribute. They are shorter than selectors that start at the
 *  row, and survive changes of the markup above that ancestor. */
function anchored(document: FlatDocument, row: Row, node: NodeId): Css[] {
  const chain = chainBelow(document, row.node, node)
  const found: Css[] = []
  let anchors = 0
  for (let index = chain.length - 2; index >= 0 && anchors < 5; index--) {
    const [context] = contextSelectors(document, chain[index]!)
    if (!context || context.cost > 2 || !/[#.[]/.test(context.css)) continue
    anchors += 1
    const below = chain.slice(index + 1)
    const tags = below.map(at => document.name(at))
    const placed = below.map(at => `${document.name(at)}:nth-child(${placeOf(document, at)})`)
    const cost = 3 + context.cost + below.length
    found.push({ css: `${context.css} ${tags.at(-1)}`, cost })
    found.push({ css: `${context.css} > ${tags.join(' > ')}`, cost: cost + 0.5 })
    found.push({ css: `${context.css} ${placed.at(-1)}`, cost: cost + 2 })
    found.push({ css: `${context.css} > ${placed.join(' > ')}`, cost: cost + 3 })
  }
  return found
}

function lastPlace(document: FlatDocument, node: NodeId): string {
  const siblings = childElements(document, document.parent(node))
  const fromEnd = siblings.length - siblings.indexOf(node)
  return fromEnd === 1 ? ':last-child' : `:nth-last-child(${fromEnd})`
}

/** Selectors for parts in the siblings after the row's element. CSS searches only inside an element, so these use
 *  XPath. */
function followers(document: FlatDocument, row: Row, node: NodeId): Candidate[] {
  const [first, ...rest] = chainBelow(document, document.parent(row.node), node)
  const tag = document.name(first!)
  const siblings = childElements(document, document.parent(row.node))
  const offset = siblings.indexOf(first!) - siblings.indexOf(row.node)
  const starts: Array<[string, number]> = [
    [`following-sibling::*[${offset}][self::${tag}]`, 3],
    [`following-sibling::${tag}[1]`, 2.5],
    ...stableClasses(document, first!).map(
      ([name, cost]) => [`following-sibling::${tag}[has-class("${name}")][1]`, cost] as [string, number],
    ),
  ]
  const ends = endings(document, rest)
  return starts.flatMap(([start, cost]) =>
    ends.map(([end, more]) => ({ finder: { xpath: `./${start}${end}` }, cost: cost + more })),
  )
}

function endings(document: FlatDocument, rest: readonly NodeId[]): Array<[string, number]> {
  if (rest.length === 0) return [['', 0]]
  const last = rest.at(-1)!
  const tag = document.name(last)
  const placed = rest.map(at => `*[${placeOf(document, at)}][self::${document.name(at)}]`)
  return [
    [`//${tag}`, 2],
    [`/${rest.map(at => document.name(at)).join('/')}`, 3],
    [`/${placed.join('/')}`, 7],
    ...stableClasses(document, last).map(
      ([name, cost]) => [`//${tag}[has-class("${name}")]`, cost] as [string, number],
    ),
  ]
}

const stableClasses = (document: FlatDocument, node: NodeId): Array<[string, number]> =>
  classesOf(document, node)
    .filter(name => /^[\w-]+$/.test(name))
    .map(name => [name, namePart(name).cost])
