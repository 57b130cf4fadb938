// Finds the link to the next page of a list.
import { compileSelector, type FlatDocument, type NodeId, selectAll } from '../document/index.ts'
import { childElements, classesOf, ownText, textAt } from './nodes.ts'
import { simpleSelectors } from './simple-selectors.ts'
import { cssText, namePart } from './stable-names.ts'

interface NextPage {
  css: string
  url: string
}

const words =
  /^(?:next(?: page)?|older(?: posts)?|more(?: results)?|show more|load more|weiter|nächste(?: seite)?|mehr|suivante?|page suivante|siguiente|próxima?|avanti|successiva?|volgende|nästa|næste|neste|następna|dalej|далее|следующая|下一页|次へ|다음)\s*[›»→>]*$|^[›»→]$|^>>?$/i
const named = /(?:^|[-_\s])next(?:$|[-_\s])/i
const notNext = /slide|carousel|swiper|slick|testimonial|gallery/i

export function nextPage(document: FlatDocument, baseUrl: string): NextPage | null {
  const node = findNext(document, baseUrl)
  const url = node === -1 ? null : hrefOf(document, node, baseUrl)
  return url === null ? null : { css: selectorOf(document, node), url }
}

function findNext(document: FlatDocument, baseUrl: string): NodeId {
  const links = selectAll(document, compileSelector('a[href], link[rel~="next"][href]')).filter(
    node => hrefOf(document, node, baseUrl) !== null,
  )
  const by = (isNext: (node: NodeId) => boolean): NodeId | undefined => links.find(isNext)
  return (
    by(node => /(?:^|\s)next(?:\s|$)/i.test(document.attribute(node, 'rel') ?? '')) ??
    by(node => words.test(textAt(document, node)) || words.test(labelled(document, node))) ??
    by(node => isNamedNext(document, node)) ??
    afterCurrent(document, links) ??
    -1
  )
}

const labelled = (document: FlatDocument, node: NodeId): string =>
  document.attribute(node, 'aria-label') ?? document.attribute(node, 'title') ?? ''

function isNamedNext(document: FlatDocument, node: NodeId): boolean {
  const around = [node, document.parent(node)].map(at => document.attribute(at, 'class') ?? '')
  const id = document.attribute(node, 'id') ?? ''
  return around.concat(id).some(text => named.test(text)) && !around.some(text => notNext.test(text))
}

/** For numbered pages: the link whose number follows the number of the current page. The current number is
 *  not a link, or it is marked as current. */
function afterCurrent(document: FlatDocument, links: readonly NodeId[]): NodeId | undefined {
  return links.find(link => {
    const number = Number(textAt(document, link))
    if (!Number.isInteger(number) || number < 2 || number > 10_000) return false
    const own = document.parent(link)
    const item = childElements(document, own).length > 1 ? link : own
    const siblings = childElements(document, document.parent(item))
    const before = siblings[siblings.indexOf(item) - 1]
    if (before === undefined || Number(textAt(document, before)) !== number - 1) return false
    return isCurrent(document, before) || childElements(document, before).some(at => isCurrent(document, at))
  })
}

const isCurrent = (document: FlatDocument, node: NodeId): boolean =>
  (document.attribute(node, 'aria-current') ?? 'false') !== 'false' ||
  /(?:^|[-_\s])(?:active|current|selected)(?:$|[-_\s])/i.test(document.attribute(node, 'class') ?? '') ||
  (['span', 'strong', 'b', 'em'].includes(document.name(node)) && ownText(document, node) !== '')

/** The URL of the link. Null if it is not http or https, leads to another origin, or leads to the same page. */
function hrefOf(document: FlatDocument, node: NodeId, baseUrl: string): string | null {
  const href = document.attribute(node, 'href')
  const url = href === null ? null : URL.parse(href, baseUrl)
  if (!url?.protocol.startsWith('http')) return null
  const here = new URL(baseUrl)
  url.hash = ''
  here.hash = ''
  return url.href === here.href || url.origin !== here.origin ? null : url.href
}

function selectorOf(document: FlatDocument, node: NodeId): string {
  const tag = document.name(node)
  const rel = document.attribute(node, 'rel') ?? ''
  if (/\bnext\b/i.test(rel)) return `${tag}[rel~="next"]`
  const label = document.attribute(node, 'aria-label')
  if (label && words.test(label)) return `${tag}[aria-label=${cssText(label)}]`
  const name = classesOf(document, node).find(one => named.test(one) && !namePart(one).isHashed)
  if (name) return `${tag}${namePart(name).css}`
  const outer = simpleSelectors(document, document.parent(node)).find(({ css }) => named.test(css.slice(1)))
  if (outer) return `${outer.css} > ${tag}`
  const text = textAt(document, node)
  return text === '' ? tag : `${tag}:contains(${cssText(text)})`
}
