// Finds the title and the lead of an article. The lead is the short introduction before the article text.
// Title and lead may be outside the element that contains the article text.
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { codeOf } from './drop-rules.ts'
import type { Sums } from './sums.ts'
import type { Survey } from './survey.ts'

/** A lead must be shorter than this share of the body. */
const leadShare = 0.3
const leadMost = 900
/** Class names of image captions. Elements with these names are not leads. */
const ofPicture = /(?:^|[\s_-])(?:image|img|photo|picture|media|figure|video|gallery|caption|cover|credit)/i

/** Returns the smallest element that contains body, title and lead. Drops everything else in it. */
export function joinParts(
  survey: Survey,
  sums: Sums,
  body: NodeId,
  title: NodeId,
  dropped: Uint8Array,
): NodeId {
  const { document } = survey
  const parts = [body]
  if (title >= 0 && title < body) parts.push(title, ...leadsBetween(survey, sums, title, body, dropped))
  const root = commonAncestor(document, parts)
  if (root !== body) dropOthers(document, root, parts, dropped)
  return root
}

/** `cards` are hidden elements that scripts later move into the content. Returns the smallest element that contains the
 *  root and the cards. Drops everything else in it. */
export function joinCards({ document }: Survey, root: NodeId, cards: NodeId[], dropped: Uint8Array): NodeId {
  const outside = cards.filter(card => card < root || card >= document.end(root))
  if (outside.length === 0) return root
  const parts = [root, ...outside.filter(card => !(card < root && root < document.end(card)))]
  const joined = commonAncestor(document, parts)
  if (joined !== root) dropOthers(document, joined, parts, dropped)
  return joined
}

/** Class names that publishers use for leads. A lead with such a name may be as long as a short article. */
const leadName =
  /(?:^|[\s_-])(?:leads?|lede|dek|deck|standfirst|teaser|intro|introduction|excerpt|summary|abstract|vorspann|chapo|entradilla|bajada|sub-?(?:title|head|headline|heading|line)|kicker-?text)(?:$|[\s_-]|text)/i

/** Finds leads: running text between the title and the body. */
function leadsBetween(
  survey: Survey,
  sums: Sums,
  title: NodeId,
  body: NodeId,
  dropped: Uint8Array,
): NodeId[] {
  const { document, prose } = survey
  const most = Math.min(leadMost, sums.prose(body) * leadShare)
  const leads: NodeId[] = []
  let length = 0
  for (let node = document.end(title); node < body; node++) {
    if (dropped[node] !== 0) {
      node = document.end(node) - 1
      continue
    }
    if (prose[node] === 0 || isOfPicture(document, node)) continue
    const block = blockOf(document, node)
    if (document.end(block) > body) continue
    length += prose[node]!
    if (length > (isNamedLead(document, block) ? sums.prose(body) : most)) return leads
    leads.push(block)
    node = document.end(block) - 1
  }
  return leads
}

function isNamedLead(document: FlatDocument, block: NodeId): boolean {
  return (
    document.attribute(block, 'itemprop') === 'description' ||
    leadName.test(document.attribute(block, 'class') ?? '')
  )
}

function blockOf(document: FlatDocument, text: NodeId): NodeId {
  let block = document.parent(text)
  while (!blockElements.has(document.name(block))) block = document.parent(block)
  return block
}

function isOfPicture(document: FlatDocument, text: NodeId): boolean {
  let node = document.parent(text)
  for (let level = 0; level < 4 && node > 0; level++) {
    if (document.name(node) === 'figure' || ofPicture.test(document.attribute(node, 'class') ?? ''))
      return true
    node = document.parent(node)
  }
  return false
}

export function commonAncestor(document: FlatDocument, nodes: NodeId[]): NodeId {
  let root = nodes[0]!
  for (const node of nodes) while (!(root <= node && node < document.end(root))) root = document.parent(root)
  return root
}

/** Drops the outermost nodes inside `root` that contain none of the parts. */
export function dropOthers(document: FlatDocument, root: NodeId, parts: NodeId[], dropped: Uint8Array): void {
  const code = codeOf('outside')
  const sorted = parts.toSorted((first, second) => first - second)
  let next = 0
  for (let node = root + 1; node < document.end(root); node++) {
    while (next < sorted.length && sorted[next]! < node) next++
    const part = sorted[next] ?? document.size
    if (part === node) node = document.end(node) - 1
    else if (part >= document.end(node)) {
      dropped[node] ||= code
      node = document.end(node) - 1
    }
  }
}
