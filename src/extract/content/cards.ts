// Finds cards: teasers of other pages, each with a linked heading.
import { blockElements } from '../block-elements.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { Sums } from './sums.ts'
import type { Survey } from './survey.ts'

/** A card has at most this many characters of running text. Longer elements are articles. */
const cardProse = 600

/** Elements that can be cards. All cards of a row have the same tag name. */
const cardElements = new Set(['article', 'div', 'section'])
const titleLength = 15
const deepestTitle = 6

/** All cards of a page. `title` is the heading of the page itself, which is not a card. */
export function cardsOf(survey: Survey, sums: Sums, title: NodeId): NodeId[] {
  return [...headedCards(survey, sums, title), ...alikeCards(survey, sums)]
}

/** Cards without headings: each begins with a link and has a sibling with the same class. */
function alikeCards({ document, body, text, link }: Survey, sums: Sums): NodeId[] {
  const cards: NodeId[] = []
  for (let node = body + 1; node < document.end(body); node++) {
    if (text[node]! < titleLength || link[node]! < text[node]! * 0.9) continue
    const card = cardAround({ document, text }, sums, node)
    if (card < 0) continue
    cards.push(card)
    node = document.end(card) - 1
  }
  return cards
}

/** The card that begins with this linked title. -1 if no element around the title has a sibling like it. */
function cardAround(
  { document, text }: Pick<Survey, 'document' | 'text'>,
  sums: Sums,
  title: NodeId,
): NodeId {
  let node = document.parent(title)
  let first = title
  for (let level = 0; level < deepestTitle; level++, node = document.parent(node)) {
    const parent = document.parent(node)
    if (parent <= 0 || sums.prose(node) > cardProse) return -1
    while (first > node && (first === title || text[first] === 0)) first--
    if (first !== node) return -1
    if (!cardElements.has(document.name(node)) || sums.prose(node) === 0) continue
    const classes = document.attribute(node, 'class')
    if (classes && isAlike(document, sums, document.nextSibling(node), node, classes)) return node
    if (classes && isAlike(document, sums, document.firstChild(parent), node, classes)) return node
  }
  return -1
}

function isAlike(document: FlatDocument, sums: Sums, from: NodeId, node: NodeId, classes: string): boolean {
  for (let other = from; other >= 0; other = document.nextSibling(other)) {
    if (!document.isElement(other)) continue
    if (other === node || document.attribute(other, 'class') !== classes) return false
    const prose = sums.prose(other)
    return sums.link(other) > 0 && prose > 0 && prose <= cardProse
  }
  return false
}

/** Cards with headings. A card is the outermost element around a linked heading that contains no other
 *  heading. `title` is the heading of the page itself. */
function headedCards({ document, headings, body }: Survey, sums: Sums, title: NodeId): NodeId[] {
  const cards: NodeId[] = []
  for (const [index, heading] of headings.entries()) {
    if (heading === title || sums.text(heading) === 0) continue
    if (sums.linkShare(heading) < 0.8) continue
    const before = headings[index - 1] ?? -1
    const after = headings[index + 1] ?? document.size
    let card = heading
    for (;;) {
      const parent = document.parent(card)
      if (parent <= body || parent <= before || after < document.end(parent)) break
      if (sums.prose(parent) > cardProse) break
      card = parent
    }
    if (card !== heading && blockElements.has(document.name(card))) cards.push(card)
    else if (card !== heading && document.name(card) === 'a') cards.push(card)
  }
  return cards
}
