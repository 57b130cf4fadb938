// Finds the main content of a page: by what the page marks as such, else by where its text is.
import type { FlatDocument, NodeId } from '../document/index.ts'
import { type Junk, junkOf } from './junk.ts'
import { linkMark, TextWeights } from './text-weights.ts'

/** A part of a page to be read: a subtree, and which subtrees of it are left out. */
export interface Content {
  root: NodeId
  isDropped(node: NodeId): boolean
}

/** Soft junk that holds more of the text than this is content after all. */
const contentShare = 0.4
/** One is usual; a page with more than this has no one heading to keep. */
const maxHeadings = 100
/** A site's name is near the start of its heading. */
const siteNameReach = 20
/** Share of the text an element must hold to stand for what is around it, by how much its name promises. */
const dominance = { marked: 0.5, named: 0.7, unnamed: 0.85 }

const contentName =
  /(?:^|[\s_-])(?:content|article|post|entry|story|main|body|text|prose|markdown|documentation)(?:$|[\s_-])/i

/** The whole page: only what no reader sees is left out. */
export function wholePage(document: FlatDocument): Content {
  const survey = surveyOf(document)
  return { root: survey.body, isDropped: node => survey.junk[node] === junkCodes.never }
}

export function mainContent(document: FlatDocument): Content {
  const survey = surveyOf(document)
  const dropped = settleJunk(document, survey)
  const weights = new TextWeights(document, survey.lengths, dropped)
  if (weights.of(survey.body) === 0) return wholePage(document)
  const start = markedMain(document, survey, weights)
  const root = narrow(document, survey, weights, start)
  return { root, isDropped: node => dropped[node] === 1 }
}

const junkCodes = { never: 3, hard: 2, soft: 1 } as const
const junkCode = (junk: Junk): number => (junk === null ? 0 : junkCodes[junk])

/** What one pass over the page found. */
export interface Survey {
  body: NodeId
  /** Per node one of `junkCodes`, 0 for none. Nothing is looked at inside `never`. */
  junk: Uint8Array
  /** Per text node its length, per link `linkMark`. */
  lengths: Int32Array
  softJunk: NodeId[]
  mains: NodeId[]
  articles: NodeId[]
  headings1: NodeId[]
}

function surveyOf(document: FlatDocument): Survey {
  const survey: Survey = {
    body: 0,
    junk: new Uint8Array(document.size),
    lengths: new Int32Array(document.size),
    softJunk: [],
    mains: [],
    articles: [],
    headings1: [],
  }
  for (let node = 1; node < document.size; node++) {
    if (document.isText(node)) survey.lengths[node] = document.text(node).trim().length
    if (!document.isElement(node)) continue
    const name = document.name(node)
    const junk = junkOf(document, node, name)
    survey.junk[node] = junkCode(junk)
    if (junk === 'never') node = document.end(node) - 1
    else note(document, node, name, junk, survey)
  }
  return survey
}

function note(document: FlatDocument, node: NodeId, name: string, junk: Junk, survey: Survey): void {
  if (junk === 'soft') survey.softJunk.push(node)
  if (name === 'a') survey.lengths[node] = linkMark
  else if (name === 'body' && survey.body === 0) survey.body = node
  else if (name === 'main' || (name === 'div' && document.attribute(node, 'role') === 'main'))
    survey.mains.push(node)
  else if (name === 'article') survey.articles.push(node)
  else if (name === 'h1' && isSiteName(document, node)) survey.junk[node] = junkCodes.hard
  else if (name === 'h1' && survey.headings1.length < maxHeadings) survey.headings1.push(node)
}

/** A heading that only links to the front page is the site's name, not the page's. */
function isSiteName(document: FlatDocument, heading: NodeId): boolean {
  const end = Math.min(document.end(heading), heading + siteNameReach)
  for (let node = heading + 1; node < end; node++) {
    if (document.isElement(node) && document.name(node) === 'a') {
      return /^(?:\.?\/?|https?:\/\/[^/]+\/?)$/.test(document.attribute(node, 'href') ?? '-')
    }
  }
  return false
}

/** Hard junk goes; soft junk goes unless it holds the page's heading, its main part or much of its text. */
function settleJunk(document: FlatDocument, survey: Survey): Uint8Array {
  const dropped = new Uint8Array(document.size)
  for (let node = 1; node < document.size; node++) if (survey.junk[node]! >= junkCodes.hard) dropped[node] = 1
  if (survey.softJunk.length === 0) return dropped
  const weights = new TextWeights(document, survey.lengths, dropped)
  const enough = weights.of(survey.body) * contentShare
  const precious = [...survey.mains, ...survey.articles, ...survey.headings1]
  const kept = precious.filter(node => dropped[node] === 0).sort((first, second) => first - second)
  let next = 0
  for (const node of survey.softJunk) {
    while (next < kept.length && kept[next]! <= node) next++
    const holds = next < kept.length && kept[next]! < document.end(node)
    if (!holds && weights.of(node) <= enough) dropped[node] = 1
  }
  return dropped
}

/** The `<main>` with most of the text, when it has a fair share; else the body. */
function markedMain(document: FlatDocument, survey: Survey, weights: TextWeights): NodeId {
  const best = heaviest(survey.mains, weights)
  if (best >= 0 && weights.of(best) >= weights.of(survey.body) * 0.2) return best
  const article = onlyOuter(document, survey.articles)
  const holdsHeading = survey.headings1.every(heading => article < heading && heading < document.end(article))
  if (article >= 0 && holdsHeading && weights.of(article) >= weights.of(survey.body) * dominance.marked)
    return article
  return survey.body
}

/** The one article that holds all others; -1 when there are several side by side, or none. */
function onlyOuter(document: FlatDocument, articles: NodeId[]): NodeId {
  const first = articles[0] ?? -1
  return first >= 0 && articles.at(-1)! < document.end(first) ? first : -1
}

function heaviest(nodes: Iterable<NodeId>, weights: TextWeights): NodeId {
  let best = -1
  for (const node of nodes) if (best < 0 || weights.of(node) > weights.of(best)) best = node
  return best
}

/** Goes down as long as one child holds nearly all of the text, but never past the page's heading. */
function narrow(document: FlatDocument, survey: Survey, weights: TextWeights, start: NodeId): NodeId {
  let node = start
  for (;;) {
    const child = heaviest(elementChildren(document, node), weights)
    if (child < 0 || !narrows.has(document.name(child))) return node
    const needed = weights.of(node) * dominanceOf(document, child)
    if (weights.of(child) < needed || losesHeading(document, survey, node, child)) return node
    node = child
  }
}

const narrows = new Set('div section article main center body form td table tbody tr'.split(' '))

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

function losesHeading(document: FlatDocument, survey: Survey, from: NodeId, to: NodeId): boolean {
  const isIn = (heading: NodeId, node: NodeId) => heading > node && heading < document.end(node)
  return survey.headings1.some(heading => isIn(heading, from) && !isIn(heading, to))
}
