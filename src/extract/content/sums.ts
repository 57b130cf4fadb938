// Sums of the survey's values over subtrees, in constant time. They are differences of prefix sums in document order.
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { Survey } from './survey.ts'
import { surveyMemory } from './survey-memory.ts'

const width = 6
const column = { text: 0, link: 1, prose: 2, matter: 3, control: 4, links: 5 } as const
type Value = keyof typeof column

/** Sums of one survey. They become invalid together with it. */
export class Sums {
  readonly #document: FlatDocument
  /** Six prefix sums per node, in document order. */
  readonly #before: Int32Array

  /** The sums treat dropped subtrees as empty. */
  constructor(survey: Survey, dropped: Uint8Array) {
    this.#document = survey.document
    this.#before = surveyMemory.uncleared((survey.document.size + 1) * width)
    this.#add(survey, dropped)
  }

  #add({ document, text, link, prose, matter, control, links }: Survey, dropped: Uint8Array): void {
    const before = this.#before
    let [texts, linkTexts, proses, matters, controls, linkCount] = [0, 0, 0, 0, 0, 0]
    let skipTo = 0
    const { size } = document
    for (let node = 0, at = 0; node <= size; node++, at += width) {
      before[at] = texts
      before[at + 1] = linkTexts
      before[at + 2] = proses
      before[at + 3] = matters
      before[at + 4] = controls
      before[at + 5] = linkCount
      if (node === size || node < skipTo) continue
      if (dropped[node] !== 0) {
        skipTo = document.end(node)
        continue
      }
      texts += text[node]!
      linkTexts += link[node]!
      proses += prose[node]!
      matters += matter[node]!
      controls += control[node]!
      linkCount += links[node]!
    }
  }

  #of(value: Value, node: NodeId): number {
    const before = this.#before
    return before[this.#document.end(node) * width + column[value]]! - before[node * width + column[value]]!
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

  /** Measure of content: the length of running text, plus half the length of text in lists, tables and
   *  code. */
  matter(node: NodeId): number {
    return this.#of('matter', node)
  }

  controls(node: NodeId): number {
    return this.#of('control', node)
  }

  links(node: NodeId): number {
    return this.#of('links', node)
  }

  /** Share of the text that is in links; 0 if there is no text. */
  linkShare(node: NodeId): number {
    const text = this.text(node)
    return text === 0 ? 0 : this.link(node) / text
  }
}
