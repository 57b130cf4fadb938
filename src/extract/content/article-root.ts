// Finds the element that contains an article. Starts at the body, and descends while one child contains most of the
// running text.
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { Sums } from './sums.ts'
import type { Survey } from './survey.ts'

/** Share of the running text that a child must contain to replace its parent. */
const needed = { marked: 0.5, unmarked: 0.7, insideBody: 0.9 }

const containers = new Set(
  'div section article main center body form td table tbody tr span font details header'.split(' '),
)

/** An article element with the page's title and at least this many characters of running text is the article of the page. */
const ownProse = 300

/** `title` is the heading of the page, as `titleHeading` finds it; -1 if there is none. */
export function articleRoot(survey: Survey, sums: Sums, title: NodeId): NodeId {
  const { document } = survey
  const bodies = new Set(survey.bodies)
  let node = startOf(survey, sums, title)
  let isInBody = false
  for (;;) {
    const child = richest(document, sums, node)
    if (child < 0 || !containers.has(document.name(child))) return node
    const share = sums.matter(child) / sums.matter(node)
    const isBody = bodies.has(child)
    const need = isInBody
      ? needed.insideBody
      : isBody || isArticle(document, child)
        ? needed.marked
        : needed.unmarked
    if (!(share >= need) || hasTwins(document, sums, node, child)) return node
    node = child
    isInBody ||= isBody
  }
}

function startOf({ document, articles, body }: Survey, sums: Sums, title: NodeId): NodeId {
  const around = articles.filter(article => article < title && title < document.end(article))
  return around.find(article => sums.prose(article) >= ownProse) ?? body
}

/** True if siblings with the same tag and classes also contain text. The article is then split over several
 *  elements. */
function hasTwins(document: FlatDocument, sums: Sums, parent: NodeId, node: NodeId): boolean {
  const name = document.name(node)
  const classes = document.attribute(node, 'class')
  if (!classes) return false
  for (let child = document.firstChild(parent); child >= 0; child = document.nextSibling(child)) {
    if (child === node || !document.isElement(child) || document.name(child) !== name) continue
    if (sums.prose(child) >= twinProse && document.attribute(child, 'class') === classes) return true
  }
  return false
}

const twinProse = 80

function richest(document: FlatDocument, sums: Sums, node: NodeId): NodeId {
  let best = -1
  let most = 0
  for (let child = document.firstChild(node); child >= 0; child = document.nextSibling(child)) {
    if (!document.isElement(child)) continue
    const matter = sums.matter(child)
    if (matter > most) {
      best = child
      most = matter
    }
  }
  return best
}

const isArticle = (document: FlatDocument, node: NodeId): boolean =>
  document.name(node) === 'article' || document.name(node) === 'main'
