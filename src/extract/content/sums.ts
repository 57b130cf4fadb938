// Sums over subtrees in constant time: the survey's values added up in document order.
import type { NodeId } from '../document/index.ts'
import type { Survey } from './survey.ts'

type Value = 'text' | 'link' | 'prose' | 'matter' | 'control' | 'links'

export class Sums {
  readonly #survey: Survey
  readonly #before: Record<Value, Int32Array>

  /** Subtrees of nodes that are dropped count nothing. */
  constructor(survey: Survey, dropped: Uint8Array) {
    this.#survey = survey
    const size = survey.document.size + 1
    this.#before = {
      text: new Int32Array(size),
      link: new Int32Array(size),
      prose: new Int32Array(size),
      matter: new Int32Array(size),
      control: new Int32Array(size),
      links: new Int32Array(size),
    }
    this.#add(dropped)
  }

  #add(dropped: Uint8Array): void {
    const { document } = this.#survey
    const { text, link, prose, matter, control, links } = this.#before
    const from = this.#survey
    let [texts, linkTexts, proses, matters, controls, linkCount] = [0, 0, 0, 0, 0, 0]
    let skipTo = 0
    for (let node = 0; node <= document.size; node++) {
      text[node] = texts
      link[node] = linkTexts
      prose[node] = proses
      matter[node] = matters
      control[node] = controls
      links[node] = linkCount
      if (node === document.size || node < skipTo) continue
      if (dropped[node] !== 0) {
        skipTo = document.end(node)
        continue
      }
      texts += from.text[node]!
      linkTexts += from.link[node]!
      proses += from.prose[node]!
      matters += from.matter[node]!
      controls += from.control[node]!
      linkCount += from.links[node]!
    }
  }

  #of(value: Value, node: NodeId): number {
    const before = this.#before[value]
    return before[this.#survey.document.end(node)]! - before[node]!
  }

  text(node: NodeId): number {
    return this.#of('text', node)
  }

  link(node: NodeId): number {
    return this.#of('link', node)
  }

  prose(node: NodeId): number {
    return this.#of('prose', node)
  }

  /** Running text, and half of what lists and tables say. */
  matter(node: NodeId): number {
    return this.#of('matter', node)
  }

  controls(node: NodeId): number {
    return this.#of('control', node)
  }

  links(node: NodeId): number {
    return this.#of('links', node)
  }

  /** Share of the text that is in links; 0 without text. */
  linkShare(node: NodeId): number {
    const text = this.text(node)
    return text === 0 ? 0 : this.link(node) / text
  }
}
