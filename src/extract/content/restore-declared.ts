// Restores dropped parts that structured data declares as content.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { mentions } from '../item-values.ts'
import type { PageFacts } from '../page-facts.ts'
import { commonAncestor, dropOthers } from './article-parts.ts'
import { articleSentences, FoldedText, recipeLines } from './declared-text.ts'
import type { Survey } from './survey.ts'

/** If at least this share of the declared sentences is missing from the chosen part, the wrong part was chosen. The share is
 *  large, because `articleBody` often contains captions and links too. */
const missingShare = 0.5

export interface Chosen {
  survey: Survey
  facts: PageFacts
  root: NodeId
}

/** Restores the lines of a recipe that structured data declares, wherever they are on the page. Returns the
 *  smallest element that contains the root and these lines. */
export function restoreRecipe(chosen: Chosen, dropped: Uint8Array): NodeId {
  const lines = recipeLines(chosen.facts)
  return lines.length === 0 ? chosen.root : restore(chosen, lines, 0, dropped)
}

/** If most of the declared text is outside the chosen element, restores this text. Returns the smallest
 *  element that contains both. */
export function restoreArticle(chosen: Chosen, dropped: Uint8Array): NodeId {
  if (!mentions(chosen.facts.document.source, 'Body"')) return chosen.root
  const sentences = articleSentences(chosen.facts)
  return sentences.length < 3 ? chosen.root : restore(chosen, sentences, missingShare, dropped)
}

function restore({ survey, root }: Chosen, lines: string[], needed: number, dropped: Uint8Array): NodeId {
  const { document, body, unread } = survey
  const kept = new FoldedText(document, root, node => dropped[node] !== 0)
  const missing = lines.filter(line => !kept.has(line))
  if (missing.length === 0 || missing.length < lines.length * needed) return root
  const whole = new FoldedText(document, body, node => unread[node] !== 0)
  const found = missing.map(line => whole.find(line)).filter(node => node > body)
  if (found.length === 0 || found.length < lines.length * needed) return root
  let joined = root
  for (const node of found) joined = takeIn(document, joined, blockAround(document, node), dropped)
  return joined
}

const listItems = new Set(['li', 'tr', 'td', 'dd', 'dt'])

/** The list or table around this line. The node itself if it is in neither. */
function blockAround(document: FlatDocument, node: NodeId): NodeId {
  let at = node
  while (listItems.has(document.name(at)) || document.name(at) === 'tbody') at = document.parent(at)
  return at
}

/** Returns the smallest element that contains `root` and `part`. Restores `part` and the elements around it;
 *  their other content stays dropped. */
function takeIn(document: FlatDocument, root: NodeId, part: NodeId, dropped: Uint8Array): NodeId {
  if (part <= root && root < document.end(part)) return root
  const joined = commonAncestor(document, [root, part])
  if (joined !== root) dropOthers(document, joined, [root, part], dropped)
  const way: NodeId[] = []
  for (let node = part; node > joined; node = document.parent(node)) way.unshift(node)
  let code = 0
  for (const [index, node] of way.entries()) {
    code = dropped[node]! || code
    dropped[node] = 0
    if (code !== 0 && node !== part) dropBeside(document, node, way[index + 1]!, code, dropped)
  }
  return joined
}

function dropBeside(
  document: FlatDocument,
  parent: NodeId,
  kept: NodeId,
  code: number,
  dropped: Uint8Array,
): void {
  for (let child = document.firstChild(parent); child >= 0; child = document.nextSibling(child))
    if (child !== kept) dropped[child] ||= code
}
