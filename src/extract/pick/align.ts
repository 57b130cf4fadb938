// Finds in every row the part that corresponds to the elements that a user clicked.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { labelOf } from './labels.ts'
import { kindOf, type Row, valueKind } from './leaves.ts'
import { chainBelow, classesOf, isSeen, placeOf, textAt } from './nodes.ts'

/** Properties of an element that are compared. */
interface Traits {
  tag: string
  /** Tags from the row down to the element. */
  path: string
  kind: string
  classes: string[]
  naming: string
  label: string
  place: number
  value: string
  inFollower: number
}

/** An element corresponds to the clicked element if it reaches this share of the clicked element's own
 *  score. */
const enough = 0.62

/** Returns the corresponding part of each row, or -1 if the row has none. `examples` are the clicked
 *  elements. For a row with a clicked element, returns that element. */
export function aligned(document: FlatDocument, rows: readonly Row[], examples: readonly NodeId[]): NodeId[] {
  const models = examples.map(example => {
    const row = rows.find(({ node, end }) => example >= node && example < end)!
    return traitsOf(document, row, example)
  })
  return rows.map(row => {
    const own = examples.find(example => example >= row.node && example < row.end)
    return own ?? counterpart(document, row, models)
  })
}

function counterpart(document: FlatDocument, row: Row, models: readonly Traits[]): NodeId {
  let best = -1
  let most = 0
  for (let node = row.node; node < row.end; node++) {
    if (!isSeen(document, node)) continue
    const tag = document.name(node)
    const near = models.filter(model => model.tag === tag)
    if (near.length === 0) continue
    const traits = traitsOf(document, row, node)
    for (const model of near) {
      const points = pointsFor(model, traits) / pointsFor(model, model)
      if (points >= enough && points > most) [best, most] = [node, points]
    }
  }
  return best
}

function traitsOf(document: FlatDocument, row: Row, node: NodeId): Traits {
  const isFollower = node >= document.end(row.node)
  const top = isFollower ? document.parent(row.node) : row.node
  const naming = ['itemprop', 'data-testid', 'data-test', 'data-qa', 'data-field', 'rel']
    .map(name => document.attribute(node, name) ?? '')
    .join('|')
  return {
    tag: document.name(node),
    path: chainBelow(document, top, node)
      .map(at => document.name(at))
      .join('>'),
    kind: kindOf(document, row, node),
    classes: classesOf(document, node),
    naming,
    label: labelOf(document, row, node) ?? '',
    place: node === row.node ? 0 : placeOf(document, node),
    value: valueKind(document, node, textAt(document, node)),
    inFollower: isFollower ? 1 : 0,
  }
}

function pointsFor(model: Traits, traits: Traits): number {
  let points = 0
  if (model.path === traits.path) points += 3
  else points += 1.5 * sharedEnd(model.path, traits.path)
  if (model.kind === traits.kind) points += 1
  points += classPoints(model.classes, traits.classes)
  if (model.naming.replaceAll('|', '') !== '') points += model.naming === traits.naming ? 4 : -2
  if (model.label !== '') points += model.label === traits.label ? 4 : -4
  else if (traits.label !== '') points -= 3
  if (model.place === traits.place) points += 1.5
  if (model.value === traits.value) points += 1.5
  else if (traits.value === 'none') points -= 1
  else if (model.value !== 'text' && traits.value !== 'text') points -= 2
  return points - (model.inFollower === traits.inFollower ? 0 : 5)
}

function classPoints(model: readonly string[], other: readonly string[]): number {
  if (model.length === 0) return other.length === 0 ? 1 : -0.5
  const shared = model.filter(name => other.includes(name)).length
  return (4 * shared) / (model.length + other.length - shared) - (shared === 0 ? 1 : 0)
}

/** Number of equal steps at the end of both paths, as a share of the longer path. */
function sharedEnd(one: string, other: string): number {
  const steps = one.split('>').reverse()
  const its = other.split('>').reverse()
  let same = 0
  while (same < steps.length && same < its.length && steps[same] === its[same]) same += 1
  return same / Math.max(steps.length, its.length)
}
