// Cards: parts that show another page, each with a heading that links there.
import { blockElements } from '../block-elements.ts'
import type { NodeId } from '../document/index.ts'
import type { Sums } from './sums.ts'
import type { Survey } from './survey.ts'

/** A card says little; more is an article of its own. */
const cardProse = 600

/** The outermost element around each linked heading that holds no other heading. `title` names this page, and is no card. */
export function cardsOf({ document, headings, body }: Survey, sums: Sums, title: NodeId): NodeId[] {
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
