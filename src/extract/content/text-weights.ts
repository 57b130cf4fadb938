// How much readable text each part of a page holds; text in links counts for less.
import type { FlatDocument, NodeId } from '../document/index.ts'

/** Links say where to go, not what is so. */
const linkShare = 0.3

export class TextWeights {
  /** Weight of the text before each node, in document order: a subtree's is the difference of two. */
  readonly #before: Float64Array
  readonly #document: FlatDocument

  constructor(document: FlatDocument, lengths: Int32Array, dropped: Uint8Array) {
    this.#document = document
    this.#before = new Float64Array(document.size + 1)
    let sum = 0
    let linkEnd = 0
    for (let node = 0; node < document.size; node++) {
      this.#before[node] = sum
      if (dropped[node] === 1) {
        node = this.#skip(node, sum)
      } else if (lengths[node]! > 0) {
        sum += node < linkEnd ? lengths[node]! * linkShare : lengths[node]!
      } else if (lengths[node] === linkMark) linkEnd = document.end(node)
    }
    this.#before[document.size] = sum
  }

  #skip(node: NodeId, sum: number): NodeId {
    const end = this.#document.end(node)
    this.#before.fill(sum, node, end)
    return end - 1
  }

  of(node: NodeId): number {
    return this.#before[this.#document.end(node)]! - this.#before[node]!
  }
}

/** Stands in `lengths` for a link. */
export const linkMark = -1
