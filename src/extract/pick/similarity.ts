// Measures how similar two elements are, by the paths of tags inside them and by their classes.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { classesOf, isSeen } from './nodes.ts'
import { namePart } from './stable-names.ts'

const deepest = 5
const mostNodes = 400
const stateCost = 20

/** Two rows of one list have at least this similarity. */
export const minSimilarity = 0.45

/** Computes the shape and classes of each element once, because each element is compared with many others. */
export class Similarity {
  readonly #document: FlatDocument
  readonly #shapes = new Map<NodeId, Set<string>>()
  readonly #classes = new Map<NodeId, Set<string>>()

  constructor(document: FlatDocument) {
    this.#document = document
  }

  /** Similarity from 0 to 1. 0 if the tags differ. */
  between(one: NodeId, other: NodeId): number {
    if (this.#document.name(one) !== this.#document.name(other)) return 0
    const classes = overlap(this.classes(one), this.classes(other))
    const shapes = overlap(this.#shape(one), this.#shape(other))
    return classes === null ? (shapes ?? 1) : 0.5 * classes + 0.5 * (shapes ?? classes)
  }

  /** The classes of an element, without those that only mark a state, such as `active` or `odd`. */
  classes(node: NodeId): Set<string> {
    let known = this.#classes.get(node)
    if (!known) {
      known = new Set(classesOf(this.#document, node).filter(name => namePart(name).cost < stateCost))
      this.#classes.set(node, known)
    }
    return known
  }

  #shape(node: NodeId): Set<string> {
    let known = this.#shapes.get(node)
    if (!known) {
      known = new Set()
      this.#gather(node, '', 0, known)
      this.#shapes.set(node, known)
    }
    return known
  }

  #gather(node: NodeId, path: string, depth: number, paths: Set<string>): void {
    for (
      let child = this.#document.firstChild(node);
      child !== -1;
      child = this.#document.nextSibling(child)
    ) {
      if (!isSeen(this.#document, child) || paths.size >= mostNodes) continue
      const own = `${path}>${this.#document.name(child)}`
      paths.add(own)
      if (depth < deepest) this.#gather(child, own, depth + 1, paths)
    }
  }
}

/** Number of common members as a share of all members; null if both sets are empty. */
function overlap(one: Set<string>, other: Set<string>): number | null {
  if (one.size === 0 && other.size === 0) return null
  let shared = 0
  for (const entry of one) if (other.has(entry)) shared += 1
  return shared / (one.size + other.size - shared)
}
