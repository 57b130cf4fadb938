// Finds the lists to which a clicked element may belong: similar siblings at each level above it, best first.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { flatRows } from './flat-rows.ts'
import { kindOf, leavesOf, type Row, valueKind } from './leaves.ts'
import { chainUp, childElements, countBy, isSeen, isWithin, textAt } from './nodes.ts'
import { minSimilarity, Similarity } from './similarity.ts'

export interface Level {
  rows: Row[]
  /** True if a row consists of an element and the siblings after it, as in a definition list. */
  isFlat: boolean
  score: number
}

const mostRows = 5_000
const landmarks = new Set(['nav', 'header', 'footer', 'aside', 'menu'])
const alikeInList = 0.3
const rowTags = new Set(['li', 'tr', 'article'])
const singleRowTags = new Set(['li', 'tr', 'article', 'dt'])
const singleRowClass =
  /(?:^|[-_])(?:item|card|result|product|listing|entry|tile|post|row|offer|teaser|job)s?$/i

/** Lists whose rows contain all clicks, best first. Empty if there is no list around the clicks. */
export function listLevels(document: FlatDocument, clicks: readonly NodeId[]): Level[] {
  const similarity = new Similarity(document)
  const levels: Level[] = []
  const chain = chainUp(document, clicks[0]!)
  for (const [steps, at] of chain.entries()) {
    const { rows, isFlat } = rowsLike(document, similarity, at, clicks)
    if (rows.length < 2 || !clicks.every(click => rowWith(rows, click))) continue
    const level = { rows, isFlat, score: 0 }
    level.score = scoreOf(document, level, clicks) - 0.2 * steps
    levels.push(level)
  }
  demoteColumns(document, levels)
  demoteParts(document, levels)
  if (levels.length === 0) return singleRow(document, clicks, chain)
  return levels.sort((one, other) => other.score - one.score)
}

export const rowWith = (rows: readonly Row[], node: NodeId): Row | undefined =>
  rows.find(row => node >= row.node && node < row.end)

export const elementRow = (document: FlatDocument, node: NodeId): Row => ({ node, end: document.end(node) })

function rowsLike(
  document: FlatDocument,
  similarity: Similarity,
  at: NodeId,
  clicks: readonly NodeId[],
): Omit<Level, 'score'> {
  const siblings = childElements(document, document.parent(at)).filter(
    node => isSeen(document, node) && !isHeading(document, node),
  )
  const flat = flatRows(document, similarity, siblings)
  if (flat && rowWith(flat, at)) return { rows: flat, isFlat: true }
  // If a user clicks in two siblings with the same tag, both are rows, however different they are.
  const models = siblings.filter(
    node =>
      document.name(node) === document.name(at) && clicks.some(click => isWithin(document, click, node)),
  )
  const needed = rowTags.has(document.name(at)) ? alikeInList : minSimilarity
  const same = siblings.filter(node => models.some(model => similarity.between(model, node) >= needed))
  const all = [...same, ...cousins(document, similarity, at, same)].sort((one, other) => one - other)
  return { rows: all.slice(0, mostRows).map(node => elementRow(document, node)), isFlat: false }
}

/** True for a row of column headings, in a table or in a grid with ARIA roles. */
function isHeading(document: FlatDocument, node: NodeId): boolean {
  const cells = childElements(document, node)
  return (
    cells.length > 1 &&
    cells.every(cell => document.name(cell) === 'th' || document.attribute(cell, 'role') === 'columnheader')
  )
}

/** Similar elements with other parents, if the ancestors are similar too. Examples: a grid of several lines, a list in
 *  several sections. */
function cousins(
  document: FlatDocument,
  similarity: Similarity,
  at: NodeId,
  same: readonly NodeId[],
): NodeId[] {
  const own = chainUp(document, at)
  const found: NodeId[] = []
  const isSame = new Set(same)
  for (let node = 1; node < document.size && found.length < mostRows; node++) {
    if (
      !document.isElement(node) ||
      document.name(node) !== document.name(at) ||
      isSame.has(node) ||
      isHeading(document, node)
    )
      continue
    if (same.some(row => isWithin(document, node, row) || isWithin(document, row, node))) continue
    const chain = chainUp(document, node)
    if (chain.length !== own.length || !isSameWay(document, similarity, own, chain)) continue
    if (similarity.between(at, node) >= 0.6) found.push(node)
  }
  return found
}

/** True if the ancestors have the same tags, similar classes, and equal headings if they are tables. */
function isSameWay(document: FlatDocument, similarity: Similarity, one: NodeId[], other: NodeId[]): boolean {
  return one.slice(1).every((ancestor, index) => {
    const twin = other[index + 1]!
    if (ancestor === twin) return true
    if (document.name(ancestor) !== document.name(twin)) return false
    const own = similarity.classes(ancestor)
    const its = similarity.classes(twin)
    const shared = [...own].filter(name => its.has(name)).length
    if (own.size + its.size > 0 && shared / Math.max(own.size, its.size) < 0.5) return false
    return document.name(ancestor) !== 'table' || headings(document, ancestor) === headings(document, twin)
  })
}

function headings(document: FlatDocument, table: NodeId): string {
  const texts: string[] = []
  for (let node = table; node < document.end(table); node++)
    if (document.isElement(node) && document.name(node) === 'th') texts.push(textAt(document, node))
  return texts.join('|')
}

function scoreOf(document: FlatDocument, { rows }: Level, clicks: readonly NodeId[]): number {
  const sample = rows.slice(0, 12)
  const home = rowWith(rows, clicks[0]!)!
  const { rich, repeated } = richness(document, home, clicks[0]!)
  let score = rich >= 2 ? 4 + Math.min(rich, 6) * 0.05 : 1
  if (rows.length >= 3) score += 1
  // If most parts of the row are like the clicked part, the row is itself a list and not an item. An example
  // is a menu entry with a submenu.
  if (repeated > 0.6) score -= 4
  const share = shareWith(document, sample, kindOf(document, home, clicks[0]!))
  if (share < 0.4) score -= share < 0.2 ? 3 : 1
  const texts = new Set(sample.map(({ node, end }) => textBetween(document, node, end)))
  if (texts.size < sample.length * 0.5) score -= 2
  if (chainUp(document, home.node).some(node => landmarks.has(document.name(node)))) score -= 1.5
  if (isTableCell(document, home.node) && rich < 3) score -= 5
  return score - (hasTwins(document, rows, clicks) ? 2 : 0)
}

/** Share of the rows that contain a part like the clicked one. */
const shareWith = (document: FlatDocument, rows: readonly Row[], kind: string): number =>
  rows.filter(row =>
    leavesOf(document, row).some(leaf => {
      const own = kindOf(document, row, leaf)
      return own === kind || own.startsWith(`${kind}>`) || kind === ''
    }),
  ).length / rows.length

const isTableCell = (document: FlatDocument, node: NodeId): boolean =>
  ['td', 'th'].includes(document.name(node))

/** Counts the parts of a row by kind. Kinds that are like the clicked part and occur several times are
 *  repeated. `rich` is the number of all other kinds. `repeated` is the share of the parts that have a
 *  repeated kind. */
function richness(document: FlatDocument, row: Row, click: NodeId): { rich: number; repeated: number } {
  const leaves = leavesOf(document, row)
  const kinds = countBy(leaves.map(leaf => kindOf(document, row, leaf)))
  const own = kindOf(document, row, click)
  let repeated = 0
  for (const [kind, count] of kinds)
    if (count > 1 && (kind === own || kind.startsWith(`${own}>`))) {
      kinds.delete(kind)
      repeated += count
    }
  return { rich: kinds.size, repeated: repeated / Math.max(1, leaves.length) }
}

/** True if two clicks in one row are on parts of the same kind. The rows that the user means are then inside
 *  this row. */
function hasTwins(document: FlatDocument, rows: readonly Row[], clicks: readonly NodeId[]): boolean {
  const places = new Set(clicks).size
  const kinds = new Set(
    [...new Set(clicks)].map(click => {
      const row = rowWith(rows, click)!
      return `${row.node} ${kindOf(document, row, click)}`
    }),
  )
  return kinds.size < places
}

const textBetween = (document: FlatDocument, from: NodeId, end: NodeId): string => {
  let text = ''
  for (let node = from; node < end; node = document.end(node)) text += ` ${textAt(document, node)}`
  return text
}

/** Lowers the score of lists that repeat inside each row of an outer list. Their elements are columns or label-value
 *  pairs, not rows. */
function demoteColumns(document: FlatDocument, levels: Level[]): void {
  for (const [index, inner] of levels.entries()) {
    if (levels.slice(index + 1).some(outer => areColumns(document, inner, outer))) inner.score -= 5
  }
}

function areColumns(document: FlatDocument, inner: Level, outer: Level): boolean {
  const lines = outer.rows
    .map(row => inner.rows.filter(({ node }) => node >= row.node && node < row.end))
    .filter(line => line.length > 0)
    .slice(0, 8)
  // At least two outer rows are needed to compare their inner rows at the same position.
  if (lines.length < 2) return false
  const signs = lines.map(line => line.map(row => signOf(document, row)))
  const [first] = signs
  const isLabelled =
    signs.every(line => line.every(sign => sign.first !== '')) &&
    new Set(first!.map(sign => sign.first)).size === first!.length &&
    first!.length > 1 &&
    signs.slice(1).every(line => line.some(sign => first!.some(other => other.first === sign.first)))
  if (isLabelled) return true
  const isEven = signs.every(line => line.length === first!.length)
  const kinds = first!.map(sign => sign.kinds)
  const differ = new Set(kinds).size > 1
  return isEven && differ && signs.every(line => line.every((sign, place) => sign.kinds === kinds[place]))
}

/** Lowers the score of a list if each of its rows is inside a row of another list, and the rows of the other
 *  list have more parts. The outer rows are then the items. */
function demoteParts(document: FlatDocument, levels: Level[]): void {
  for (const [index, inner] of levels.entries()) {
    const outer = levels
      .slice(index + 1)
      .find(
        ({ rows }) =>
          rows.length === inner.rows.length && rows.every((row, at) => holds(row, inner.rows[at]!)),
      )
    if (outer && parts(document, outer) > parts(document, inner))
      inner.score = Math.min(inner.score, outer.score - 0.1)
  }
}

const holds = (outer: Row, inner: Row): boolean => outer.node <= inner.node && outer.end >= inner.end

const parts = (document: FlatDocument, { rows }: Level): number =>
  Math.max(...rows.slice(0, 5).map(row => leavesOf(document, row).length))

/** The first text of a row, and the kinds of its values. */
function signOf(document: FlatDocument, row: Row): { first: string; kinds: string } {
  const leaves = leavesOf(document, row)
  const texts = leaves.map(leaf => textAt(document, leaf))
  const kinds = leaves.map((leaf, index) => valueKind(document, leaf, texts[index]!))
  return { first: leaves.length > 1 ? (texts.find(Boolean) ?? '') : '', kinds: kinds.join() }
}

/** A list with only one row. The row is recognized by its tag, class or `itemtype`. */
function singleRow(document: FlatDocument, clicks: readonly NodeId[], chain: readonly NodeId[]): Level[] {
  const row = chain.find(node => {
    const isNamed = (document.attribute(node, 'class') ?? '')
      .split(/\s+/)
      .some(name => singleRowClass.test(name))
    const isRow =
      singleRowTags.has(document.name(node)) || isNamed || document.attribute(node, 'itemtype') !== null
    if (!isRow || !clicks.every(click => isWithin(document, click, node))) return false
    return new Set(leavesOf(document, elementRow(document, node))).size >= 2
  })
  return row === undefined ? [] : [{ rows: [elementRow(document, row)], isFlat: false, score: 0 }]
}
