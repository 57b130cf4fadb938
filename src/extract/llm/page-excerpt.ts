// The part of a page that a model gets: visible text and links, without markup, comments and hidden content.
import { cleanText, cutControls } from '../../lib/text/clean-text.ts'
import { wholePage } from '../content/main-content.ts'
import { toPlainText } from '../content/plain-text.ts'
import { titleOf } from '../default-record.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { elementText } from '../element-text.ts'
import { PageFacts } from '../page-facts.ts'

export interface PageExcerpt {
  text: string
  links: ShownLink[]
}

interface ShownLink {
  text: string
  url: string
}

/** Maximum number of characters that a model gets, about 12,000 tokens. Content further down is rarely relevant. */
const maxCharacters = 40_000
const maxLinks = 300

/** `scope` is the element of one row of `each`, or 0 for the whole page. If the response is not HTML, the excerpt is
 *  the start of its source. */
export function pageExcerpt(
  document: FlatDocument,
  scope: NodeId,
  baseUrl: string,
  source: string,
): PageExcerpt {
  if (document.source === '') return { text: cutControls(source).slice(0, maxCharacters), links: [] }
  const page = wholePage(document)
  const content = scope === 0 ? page : { ...page, root: scope }
  const title = scope === 0 ? titleOf(new PageFacts(document)) : null
  const text = [title ?? '', toPlainText(document, content)].filter(Boolean).join('\n')
  return { text: text.slice(0, maxCharacters), links: linksOf(document, content, baseUrl) }
}

function linksOf(
  document: FlatDocument,
  { root, isDropped }: ReturnType<typeof wholePage>,
  baseUrl: string,
): ShownLink[] {
  const links: ShownLink[] = []
  for (let node = root; node < document.end(root) && links.length < maxLinks; node++) {
    if (!document.isElement(node)) continue
    if (isDropped(node)) node = document.end(node) - 1
    else if (document.name(node) === 'a') addLink(links, document, node, baseUrl)
  }
  return links
}

function addLink(links: ShownLink[], document: FlatDocument, node: NodeId, baseUrl: string): void {
  const url = URL.parse(document.attribute(node, 'href')?.trim() ?? '', baseUrl)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return
  links.push({ text: cleanText(elementText(document, node)).slice(0, 200), url: url.href })
}
