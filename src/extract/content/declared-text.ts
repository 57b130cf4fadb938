// Text that the page shows and its structured data repeats, such as the lines of a recipe or the sentences of
// an article. It belongs to the content.
import type { Json } from '../../model/record.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { hasType, type JsonObject, jsonLdNodes } from '../json-ld.ts'
import type { PageFacts } from '../page-facts.ts'

/** Minimum number of letters and digits in a line. Shorter lines may occur anywhere on a page by chance. */
const shortestLine = 6
const shortestSentence = 30
const mostLines = 300
/** Recipe steps that are nested deeper than this are ignored. */
const maxDepth = 4

/** Ingredients and steps of the page's recipe, normalized for comparison. Empty if JSON-LD has no recipe. */
export function recipeLines(facts: PageFacts): string[] {
  for (const node of jsonLdNodes(facts.jsonLd)) {
    if (!hasType(node, 'recipe')) continue
    const written = [
      ...textsIn(node['recipeIngredient'] ?? node['ingredients'], 0),
      ...textsIn(node['recipeInstructions'], 0),
    ]
    return foldedAll(written.flatMap(linesOf), shortestLine)
  }
  return []
}

/** Sentences of the longest `articleBody` in JSON-LD, normalized for comparison. */
export function articleSentences(facts: PageFacts): string[] {
  let longest = ''
  for (const node of jsonLdNodes(facts.jsonLd)) {
    const body = node['articleBody']
    if (typeof body === 'string' && body.length > longest.length) longest = body
  }
  return foldedAll(linesOf(longest), shortestSentence)
}

/** The texts in a value. The value is a string, a list of strings, steps, or sections of steps. */
function textsIn(value: Json | undefined, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap(each => textsIn(each, depth + 1))
  const { text, itemListElement } = value as JsonObject
  return [text, itemListElement].flatMap(each => textsIn(each, depth + 1))
}

const linesOf = (text: string): string[] =>
  text.split(/[\r\n]+|(?<=[.!?。！？])\s+|<\/?(?:p|br|li|ol|ul|div)\b[^>]*>/i)

const foldedAll = (lines: string[], shortest: number): string[] => {
  const folded = lines
    .slice(0, mostLines)
    .map(line => foldedText(line.replace(/<[^>]*>|&#?\w+;/g, ' ')))
    .filter(line => line.length >= shortest)
  return [...new Set(folded)]
}

const foldedText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')

/** The text of a subtree, normalized for comparison. Maps a position in that text back to its node. */
export class FoldedText {
  readonly #document: FlatDocument
  readonly #pieces: string[] = []
  readonly #nodes: NodeId[] = []
  readonly #starts: number[] = []
  #whole: string | null = null

  /** Takes the text in `root` without the subtrees for which `isLeftOut` returns true. */
  constructor(document: FlatDocument, root: NodeId, isLeftOut: (node: NodeId) => boolean) {
    this.#document = document
    let length = 0
    for (let node = root; node < document.end(root); node++) {
      if (isLeftOut(node)) node = document.end(node) - 1
      else if (document.isText(node)) {
        const piece = foldedText(document.text(node))
        if (piece === '') continue
        this.#pieces.push(piece)
        this.#nodes.push(node)
        this.#starts.push(length)
        length += piece.length
      }
    }
  }

  get #text(): string {
    this.#whole ??= this.#pieces.join('')
    return this.#whole
  }

  has(line: string): boolean {
    return this.#text.includes(line)
  }

  /** The smallest element that contains the line. -1 if the line does not occur or is spread over a large part of the
   *  page. */
  find(line: string): NodeId {
    const at = this.#text.indexOf(line)
    if (at < 0) return -1
    const document = this.#document
    const last = this.#nodes[this.#pieceAt(at + line.length - 1)]!
    let element = this.#nodes[this.#pieceAt(at)]!
    do element = document.parent(element)
    while (last >= document.end(element))
    return foldedText(document.text(element)).length <= line.length * scatter + shortestSentence
      ? element
      : -1
  }

  #pieceAt(offset: number): number {
    const after = this.#starts.findIndex(start => start > offset)
    return after < 0 ? this.#starts.length - 1 : after - 1
  }
}

const scatter = 4
