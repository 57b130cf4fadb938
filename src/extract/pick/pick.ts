// Click-to-select: derives the rows of a list and the rules of its fields from clicked elements. Uses no model.
import type { KnownField, PickAnswer, PickRequest, ProposedField, ProposedList } from '../../model/picking.ts'
import { compileSelector, type FlatDocument, type NodeId, selectAll, selectFirst } from '../document/index.ts'
import { aligned } from './align.ts'
import { cleanName, fieldName, freeName } from './field-names.ts'
import { type Finder, fieldSelector, find } from './field-selector.ts'
import { shownValue, takenOf } from './field-value.ts'
import { labelOf } from './labels.ts'
import { kindOf, leavesOf, type Row, valueKind } from './leaves.ts'
import { elementRow, type Level, listLevels, rowWith } from './list-levels.ts'
import { nextPage } from './next-page.ts'
import { chainUp, countBy, isWithin, textAt } from './nodes.ts'
import { rowSelector } from './row-selector.ts'
import { commonPattern, pagePattern } from './url-patterns.ts'

const mostLists = 3
const mostOthers = 16

/** A field of the answer: the clicked elements, and the attribute to read from them. */
interface Wanted {
  name: string
  examples: NodeId[]
  attr?: string | undefined
}

export function pick(document: FlatDocument, baseUrl: string, request: PickRequest): PickAnswer {
  const click = clickable(document, request.node)
  const known = (request.fields ?? []).filter(({ examples }) => examples.length > 0)
  const levels = levelsFor(document, request, click)
  const home = levels[0]?.rows ?? [bodyRow(document)]
  const names = new Set((request.fields ?? []).map(({ name }) => name))
  const { wanted, changed } = withClick(document, home, known, click, request.into, names)
  const lists = levels
    .slice(0, mostLists)
    .map((level, index) => listOf(document, baseUrl, level, wanted, index === 0))
  const body = bodyRow(document)
  const next = nextPage(document, baseUrl)
  return {
    ...{ changed, lists, page: wanted.map(one => onPage(propose(document, [body], one))) },
    nextPage: next && { ...next, include: pagePattern(next.url) },
  }
}

/** Picks the given elements one after another. If several lists fit an element, takes the first one. */
export function pickAll(
  document: FlatDocument,
  baseUrl: string,
  picks: ReadonlyArray<{ name: string; node: NodeId }>,
): PickAnswer | null {
  let answer: PickAnswer | null = null
  for (const { name, node } of picks) {
    if (node < 1 || node >= document.size || !document.isElement(node)) continue
    const list: ProposedList | undefined = answer?.lists[0]
    const fields: ProposedField[] = list?.fields ?? answer?.page ?? []
    answer = pick(document, baseUrl, {
      ...{ node, fields, into: freeName(new Set(fields.map(one => one.name)), cleanName(name)) },
      ...(list && { each: list.each }),
    })
  }
  return answer
}

/** A click inside an svg icon selects the element around the icon. */
function clickable(document: FlatDocument, node: NodeId): NodeId {
  const chain = chainUp(document, node)
  const inSvg = chain.findLast(at => document.name(at) === 'svg')
  return inSvg === undefined ? node : document.parent(inSvg)
}

function levelsFor(document: FlatDocument, { each, fields = [] }: PickRequest, click: NodeId): Level[] {
  const clicks = [click, ...fields.flatMap(({ examples }) => examples)]
  if (each === undefined) return listLevels(document, clicks)
  const nodes = selectAll(document, compileSelector(each))
  const levels = listLevels(document, clicks)
  const same = levels.find(({ rows }) => rows.length === nodes.length && rows[0]!.node === nodes[0])
  const agreed = same ?? { rows: nodes.map(node => elementRow(document, node)), isFlat: false, score: 0 }
  // A click outside the accepted rows shows that these rows were wrong.
  return clicks.every(one => rowWith(agreed.rows, one)) ? [agreed] : levels
}

function bodyRow(document: FlatDocument): Row {
  const body = selectFirst(document, compileSelector('body'))
  return elementRow(document, body === -1 ? 0 : body)
}

/** Adds the click as another example of a known field, or as a new field. */
function withClick(
  document: FlatDocument,
  rows: readonly Row[],
  known: readonly KnownField[],
  click: NodeId,
  into: string | undefined,
  taken: Set<string>,
): { wanted: Wanted[]; changed: string } {
  const wanted: Wanted[] = known.map(({ name, examples, attr }) => ({ name, examples: [...examples], attr }))
  const row = rowWith(rows, click)
  const name = into ?? (row && fieldOf(document, rows, row, known, click))
  const field = wanted.find(one => one.name === name)
  if (field) {
    const others = row ? field.examples.filter(node => rowWith(rows, node) !== row) : field.examples
    field.examples = [...others, click]
    return { wanted, changed: field.name }
  }
  const own = row ?? bodyRow(document)
  const named = fieldName(document, own, click)
  const fresh = into ?? freeName(taken, named === 'text' && taken.size === 0 ? 'name' : named)
  const link = linkBeside(document, own, known, click)
  wanted.push({ name: fresh, examples: [click] })
  if (link !== null) wanted.push({ name: freeName(taken.add(fresh), 'link'), examples: [link], attr: 'href' })
  return { wanted, changed: fresh }
}

/** The known field to which the click belongs; undefined if it is a new field. */
function fieldOf(
  document: FlatDocument,
  rows: readonly Row[],
  row: Row,
  known: readonly KnownField[],
  click: NodeId,
): string | undefined {
  const others = known.filter(({ examples }) => examples.every(node => rowWith(rows, node) !== row))
  const found = (field: KnownField) => (finderOf(field) ? find(document, finderOf(field)!, row) : -1)
  const exact = known.find(field => field.attr !== 'href' && found(field) === click)
  const alike = others.find(
    ({ examples, attr }) => attr !== 'href' && isCounterpart(document, rows, examples, row, click),
  )
  const empty = others.find(
    field => field.attr !== 'href' && found(field) === -1 && isSameValue(document, field.examples[0]!, click),
  )
  return (exact ?? alike ?? empty)?.name
}

const finderOf = ({ css, xpath }: KnownField): Finder | null =>
  css !== undefined ? { css } : xpath !== undefined ? { xpath } : null

const isCounterpart = (
  document: FlatDocument,
  rows: readonly Row[],
  examples: readonly NodeId[],
  row: Row,
  click: NodeId,
): boolean =>
  examples.some(node => {
    const home = rowWith(rows, node)
    return (
      home !== undefined &&
      kindOf(document, home, node) === kindOf(document, row, click) &&
      kindIsTelling(document, home, node)
    )
  })

/** True if no other part of the row has the same path of tags and classes. The path then identifies the part. */
const kindIsTelling = (document: FlatDocument, row: Row, node: NodeId): boolean => {
  const own = kindOf(document, row, node)
  return leavesOf(document, row).filter(leaf => kindOf(document, row, leaf) === own).length <= 1
}

const isSameValue = (document: FlatDocument, one: NodeId, other: NodeId): boolean =>
  valueKind(document, one, textAt(document, one)) === valueKind(document, other, textAt(document, other))

/** The link around the clicked element, if the URL of the link needs a second field. Null otherwise. */
function linkBeside(
  document: FlatDocument,
  row: Row,
  known: readonly KnownField[],
  click: NodeId,
): NodeId | null {
  const link = chainUp(document, click).find(
    node => document.name(node) === 'a' && node >= row.node && document.attribute(node, 'href') !== null,
  )
  if (link === undefined || /^\s*(?:javascript:|#|$)/i.test(document.attribute(link, 'href')!)) return null
  const links = known.filter(({ attr }) => attr === 'href')
  const isKnown = links.some(field => finderOf(field) && find(document, finderOf(field)!, row) === link)
  const isOwn = textAt(document, link) === textAt(document, click)
  return !isKnown && (isOwn || links.length === 0) ? link : null
}

function propose(
  document: FlatDocument,
  rows: readonly Row[],
  { name, examples, attr }: Wanted,
): ProposedField {
  const inRows = examples.filter(node => rowWith(rows, node))
  const targets = aligned(document, rows, inRows)
  const finder = fieldSelector(document, rows, targets, inRows)
  const nodes = rows.map(row => find(document, finder, row))
  const value = attr === undefined ? takenOf(document, nodes) : { attr, as: 'url' as const }
  const shown = nodes.map(node => shownValue(document, node, value.attr))
  const isMany = attr === undefined && repeats(document, rows, inRows[0]!)
  return {
    ...{ name, ...finder, ...value, ...(isMany && { many: true }), examples },
    ...{ filled: shown.filter(text => text !== null).length, nodes },
    example: shownValue(document, inRows[0]!, value.attr),
  }
}

/** True if rows contain this part several times and not equally often, such as the keywords of a post. The
 *  field is then a list. */
function repeats(document: FlatDocument, rows: readonly Row[], example: NodeId): boolean {
  const home = rowWith(rows, example)!
  if (rows.length < 2 || example >= document.end(home.node)) return false
  if (labelOf(document, home, example) !== null) return false
  const kind = kindOf(document, home, example)
  const counts = rows
    .slice(0, 20)
    .map(row => leavesOf(document, row).filter(leaf => kindOf(document, row, leaf) === kind).length)
  const isList = document.name(example) === 'li' || document.name(document.parent(example)) === 'li'
  const most = Math.max(...counts)
  return (
    most > 1 &&
    (isList || (new Set(counts.filter(Boolean)).size > 1 && document.attribute(example, 'class') !== null))
  )
}

const onPage = (field: ProposedField): ProposedField =>
  field.css === undefined ? field : { ...field, css: field.css.replace(/^:scope > /, 'body > ') }

function listOf(
  document: FlatDocument,
  baseUrl: string,
  level: Level,
  wanted: readonly Wanted[],
  isBest: boolean,
): ProposedList {
  const each = rowSelector(
    document,
    level.rows.map(({ node }) => node),
  )
  const rows = level.isFlat ? level.rows : rowsOf(document, each, level.rows)
  const inside = wanted.filter(({ examples }) => examples.some(node => rowWith(rows, node)))
  const fields = inside.map(one => propose(document, rows, one))
  const others = isBest ? otherFields(document, rows, fields) : []
  return {
    ...{ each, rows: rows.map(({ node }) => node), fields, others },
    detail: detailOf(document, baseUrl, [...fields, ...others]),
  }
}

/** The rows that the selector finds, as a job would find them. The preview shows these rows. */
function rowsOf(document: FlatDocument, each: string, rows: readonly Row[]): Row[] {
  const found = selectAll(document, compileSelector(each))
  return found.length === 0 ? [...rows] : found.map(node => elementRow(document, node))
}

/** Proposes fields for other parts of the fullest rows. Leaves out parts that few rows have, and texts that every row
 *  repeats. */
function otherFields(
  document: FlatDocument,
  rows: readonly Row[],
  fields: readonly ProposedField[],
): ProposedField[] {
  const taken = new Set(fields.map(({ name }) => name))
  const covered = new Set(fields.flatMap(({ nodes, attr }) => (attr === 'href' ? [] : nodes)))
  const links = new Set(fields.flatMap(({ nodes, attr }) => (attr === 'href' ? nodes : [])))
  const found: ProposedField[] = []
  const sample = rows.slice(0, 20)
  const fullest = [...sample].sort(
    (one, other) => leavesOf(document, other).length - leavesOf(document, one).length,
  )
  const add = (wanted: Wanted, row: Row, known: Set<NodeId>) => {
    if (found.length >= mostOthers || wanted.examples.some(node => known.has(node))) return
    const field = propose(document, rows, wanted)
    for (const node of field.nodes) known.add(node)
    if (!isWorth(document, rows, field)) return
    const base = wanted.attr === undefined ? fieldName(document, row, wanted.examples[0]!) : 'link'
    const name = freeName(taken, cleanName(base))
    taken.add(name)
    found.push({ ...field, name })
  }
  for (const row of fullest.slice(0, 3))
    for (const leaf of leavesOf(document, row)) {
      if (!isInside(document, covered, leaf)) add({ name: '', examples: [leaf] }, row, covered)
      const link = chainUp(document, leaf).find(
        node => node >= row.node && document.name(node) === 'a' && document.attribute(node, 'href') !== null,
      )
      if (link !== undefined) add({ name: '', examples: [link], attr: 'href' }, row, links)
    }
  return found
}

const isInside = (document: FlatDocument, covered: ReadonlySet<NodeId>, leaf: NodeId): boolean =>
  covered.has(leaf) ||
  chainUp(document, leaf).some(at => covered.has(at)) ||
  [...covered].some(node => node > leaf && isWithin(document, node, leaf))

function isWorth(
  document: FlatDocument,
  rows: readonly Row[],
  { nodes, filled, attr }: ProposedField,
): boolean {
  if (filled < Math.max(1, rows.length * 0.2)) return false
  if (rows.length < 3) return true
  const texts = countBy(nodes.filter(node => node >= 0).map(node => shownValue(document, node, attr)))
  return texts.size > 1 || filled < rows.length * 0.9
}

/** The link to a detail page: at least half of the rows have it, and it differs from row to row. */
function detailOf(
  document: FlatDocument,
  baseUrl: string,
  fields: readonly ProposedField[],
): ProposedList['detail'] {
  for (const { name, attr, nodes } of fields) {
    if (attr !== 'href') continue
    const urls = nodes
      .map(node => shownValue(document, node, 'href'))
      .map(href => (href === null ? null : URL.parse(href, baseUrl)))
      .filter(url => url?.protocol.startsWith('http') && url.origin === new URL(baseUrl).origin)
      .map(url => url!.href)
    if (urls.length < nodes.length * 0.5 || new Set(urls).size < urls.length * 0.8) continue
    const include = urls.length > 1 ? commonPattern(urls) : new URL(urls[0]!).pathname
    if (include !== null) return { field: name, url: urls[0]!, include }
  }
  return null
}
