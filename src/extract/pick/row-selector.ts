// Finds the selector of the rows of a list. The selector must find all rows and as few other elements as possible.
import { compileSelector, type FlatDocument, type NodeId, selectAll } from '../document/index.ts'
import { chainBelow, childElements, commonAncestor, countBy } from './nodes.ts'
import { contextSelectors, type Simple, simpleSelectors } from './simple-selectors.ts'

interface Candidate {
  css: string
  cost: number
}

/** Score of a selector that finds exactly the rows, before its cost is subtracted. */
const weight = 400
const mostContexts = 4
const mostSampled = 40

export function rowSelector(document: FlatDocument, rows: readonly NodeId[]): string {
  const wanted = new Set(rows)
  let best = { css: '', score: Number.NEGATIVE_INFINITY }
  // Try cheap selectors first. The first selector that finds exactly the rows is the best one.
  for (const { css, cost } of cheapestFirst(candidates(document, sampled(rows)))) {
    const found = selectAll(document, compileSelector(css))
    const hits = found.filter(node => wanted.has(node)).length
    const similarity = hits === 0 ? 0 : (2 * hits) / (found.length + wanted.size)
    const score = similarity * weight - cost
    if (score > best.score) best = { css, score }
    if (similarity === 1) break
  }
  return best.css
}

const cheapestFirst = (all: Candidate[]): Candidate[] =>
  [...new Map(all.map(one => [one.css, one])).values()].sort((one, other) => one.cost - other.cost)

/** A sample of the rows that is large enough to find common properties. */
function sampled(rows: readonly NodeId[]): NodeId[] {
  const step = Math.ceil(rows.length / mostSampled)
  return rows.filter((_row, index) => index % step === 0 || index === rows.length - 1)
}

function candidates(document: FlatDocument, rows: readonly NodeId[]): Candidate[] {
  const simple = sharedSelectors(document, rows)
  const pairs = pairsOf(simple.filter(({ css }) => css.startsWith('.') || css.startsWith('[')))
  const own = [...simple, ...pairs, ...holding(document, rows, simple)]
  return [...own, ...own.flatMap(one => inContexts(document, rows, one))]
}

/** Simple selectors that match nearly all rows. */
function sharedSelectors(document: FlatDocument, rows: readonly NodeId[]): Simple[] {
  const all = rows.flatMap(row => simpleSelectors(document, row))
  const counts = countBy(all.map(({ css }) => css))
  const shared = new Map(
    all.filter(({ css }) => counts.get(css)! >= rows.length * 0.95).map(one => [one.css, one]),
  )
  return [...shared.values()].sort((one, other) => one.cost - other.cost).slice(0, 10)
}

const pairsOf = (simple: readonly Simple[]): Candidate[] =>
  simple
    .slice(0, 5)
    .flatMap((one, index) =>
      simple
        .slice(index + 1, 5)
        .map(other => ({ css: `${one.css}${other.css}`, cost: one.cost + other.cost })),
    )

/** Selectors by the content of all rows: `tr:has(> td)` leaves out the heading row. */
function holding(document: FlatDocument, rows: readonly NodeId[], simple: readonly Simple[]): Candidate[] {
  const inside = rows.flatMap(row => [
    ...new Map(
      childElements(document, row).flatMap(child =>
        simpleSelectors(document, child)
          .filter(({ isHashed }) => !isHashed)
          .slice(0, 3)
          .map(one => [one.css, one] as const),
      ),
    ).values(),
  ])
  const counts = countBy(inside.map(({ css }) => css))
  const shared = [...new Map(inside.map(one => [one.css, one])).values()]
    .filter(({ css }) => counts.get(css)! >= rows.length * 0.95)
    .sort((one, other) => one.cost - other.cost)
  return simple
    .filter(({ isHashed }) => !isHashed)
    .slice(0, 3)
    .flatMap(row =>
      shared
        .slice(0, 5)
        .map(({ css, cost }) => ({ css: `${row.css}:has(> ${css})`, cost: row.cost + 3 + cost })),
    )
}

function inContexts(document: FlatDocument, rows: readonly NodeId[], row: Candidate): Candidate[] {
  const found: Candidate[] = []
  const top = commonAncestor(document, rows)
  const between = chainBelow(document, top, document.parent(rows[0]!))
  const areDirect = rows.every(node => document.parent(node) === top)
  const steps = between.map(node => document.name(node))
  // If rows have different parents, the names of these parents identify the list as well as the names of the
  // common ancestor.
  if (!areDirect && steps.length > 0)
    for (const parent of sharedSelectors(
      document,
      rows.map(node => document.parent(node)),
    ).slice(0, mostContexts))
      found.push({ css: `${parent.css} > ${row.css}`, cost: row.cost + parent.cost + 1 })
  let above = 0
  for (let at = top; at > 0 && above < 4; at = document.parent(at), above++) {
    if (['html', ''].includes(document.name(at))) break
    for (const context of contextSelectors(document, at).slice(0, mostContexts)) {
      const cost = row.cost + context.cost + above
      if (above === 0 && areDirect) found.push({ css: `${context.css} > ${row.css}`, cost: cost + 0.5 })
      else if (above === 0 && isStraight(document, rows, steps))
        found.push({ css: [context.css, ...steps, row.css].join(' > '), cost: cost + 0.5 + 3 * steps.length })
      found.push({ css: `${context.css} ${row.css}`, cost: cost + 1 })
    }
  }
  return [...found, ...byPlace(document, top, row, areDirect)]
}

const isStraight = (document: FlatDocument, rows: readonly NodeId[], steps: readonly string[]): boolean =>
  rows.every(row => {
    let at = document.parent(row)
    for (const step of steps.toReversed()) {
      if (document.name(at) !== step) return false
      at = document.parent(at)
    }
    return true
  })

/** The fallback: a selector by the position of the list in the page. */
function byPlace(document: FlatDocument, top: NodeId, row: Candidate, areDirect: boolean): Candidate[] {
  const steps: string[] = []
  for (let at = top; at > 0 && !['body', 'html', ''].includes(document.name(at)); at = document.parent(at)) {
    const name = document.name(at)
    const same = childElements(document, document.parent(at)).filter(node => document.name(node) === name)
    const id = contextSelectors(document, at).find(({ cost, css }) => cost <= 1.5 && /^[#.[]/.test(css))
    if (id) {
      steps.unshift(id.css)
      return [{ css: joined(steps, row, areDirect), cost: row.cost + 4 + 3 * steps.length }]
    }
    steps.unshift(same.length === 1 ? name : `${name}:nth-of-type(${same.indexOf(at) + 1})`)
  }
  return [{ css: joined(['body', ...steps], row, areDirect), cost: row.cost + 8 + 3 * steps.length }]
}

const joined = (steps: readonly string[], row: Candidate, areDirect: boolean): string =>
  `${steps.join(' > ')}${areDirect ? ' > ' : ' '}${row.css}`
