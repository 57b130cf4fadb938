// Finds the main content of a page that is not an article: the element that is marked as main, or the element with the
// most text.
import type { FlatDocument, NodeId } from '../document/index.ts'
import type { Sums } from './sums.ts'
import type { Survey } from './survey.ts'
import { isSiteName } from './title-heading.ts'

/** A character of link text counts as this many characters of other text. */
const linkWeight = 0.3
/** Share of the text that a child must contain to replace its parent. The share is lower if the child's name suggests
 *  content. */
const dominance = { marked: 0.5, named: 0.7, unnamed: 0.85 }

const contentName =
  /(?:^|[\s_-])(?:content|article|post|entry|story|main|body|text|prose|markdown|documentation)(?:$|[\s_-])/i
const narrows = new Set('div section article main center body form td table tbody tr'.split(' '))

export function genericRoot(whole: Survey, sums: Sums): NodeId {
  const { document } = whole
  const headings = whole.headings.filter(node => document.name(node) === 'h1' && !isSiteName(document, node))
  const survey = { ...whole, headings }
  const weigh = (node: NodeId) => sums.text(node) - sums.link(node) * (1 - linkWeight)
  return narrow(survey, weigh, markedMain(survey, weigh))
}

type Weigh = (node: NodeId) => number

/** The `<main>` element with the most text, unless it has too little. Otherwise the only article, if all headings and most
 *  of the text are in it. Otherwise the body. */
function markedMain({ document, mains, articles, headings, body }: Survey, weigh: Weigh): NodeId {
  const best = heaviest(mains, weigh)
  if (best >= 0 && weigh(best) >= weigh(body) * 0.2) return best
  const article = onlyOuter(document, articles)
  const holdsHeading = headings.every(heading => article < heading && heading < document.end(article))
  if (article >= 0 && holdsHeading && weigh(article) >= weigh(body) * dominance.marked) return article
  return body
}

/** The one article that contains all others. -1 if there are several outer articles, or none. */
function onlyOuter(document: FlatDocument, articles: NodeId[]): NodeId {
  const first = articles[0] ?? -1
  return first >= 0 && articles.at(-1)! < document.end(first) ? first : -1
}

function heaviest(nodes: Iterable<NodeId>, weigh: Weigh): NodeId {
  let best = -1
  for (const node of nodes) if (best < 0 || weigh(node) > weigh(best)) best = node
  return best
}

/** Descends from `start` while one child contains nearly all of the text. Stops before it would leave out the
 *  page's heading. */
function narrow(survey: Survey, weigh: Weigh, start: NodeId): NodeId {
  const { document } = survey
  let node = start
  for (;;) {
    // Stop at an article, because it is the content as a whole.
    if (document.name(node) === 'article') return node
    const child = heaviest(elementChildren(document, node), weigh)
    if (child < 0 || !narrows.has(document.name(child))) return node
    if (weigh(child) < weigh(node) * dominanceOf(document, child) || losesHeading(survey, node, child))
      return node
    node = child
  }
}

function* elementChildren(document: FlatDocument, node: NodeId): Generator<NodeId> {
  for (let child = document.firstChild(node); child >= 0; child = document.nextSibling(child)) {
    if (document.isElement(child)) yield child
  }
}

function dominanceOf(document: FlatDocument, node: NodeId): number {
  if (document.name(node) === 'article') return dominance.marked
  const named = `${document.attribute(node, 'class') ?? ''} ${document.attribute(node, 'id') ?? ''}`
  return contentName.test(named) ? dominance.named : dominance.unnamed
}

function losesHeading({ document, headings }: Survey, from: NodeId, to: NodeId): boolean {
  const isIn = (heading: NodeId, node: NodeId) => heading > node && heading < document.end(node)
  return headings.some(heading => isIn(heading, from) && !isIn(heading, to))
}
