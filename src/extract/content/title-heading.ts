// Finds the heading that repeats the page's title or structured data.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { elementText } from '../element-text.ts'
import { elementsNamed } from '../elements-named.ts'
import type { PageFacts } from '../page-facts.ts'

const maxHeadings = 200
/** Shorter headings are in a title by chance. */
const tellingLength = 8

/** -1 if none matches. Of several, the highest level, then the first. */
export function titleHeading(facts: PageFacts, headings: readonly NodeId[]): NodeId {
  const { document } = facts
  const titles = titlesOf(facts)
  for (const level of [1, 2, 3] as const) {
    const found = headings
      .slice(0, maxHeadings)
      .filter(node => document.name(node) === `h${level}` && !isSiteName(document, node))
    const named = found.find(node => isNamed(folded(elementText(document, node)), titles))
    if (named !== undefined) return named
  }
  return headings.find(node => document.name(node) === 'h1' && !isSiteName(document, node)) ?? -1
}

function titlesOf(facts: PageFacts): string[] {
  const { document, meta } = facts
  const written = elementsNamed(document, 'title').map(node => document.text(node))
  const others = ['og:title', 'twitter:title'].flatMap(name => meta.get(name) ?? [])
  return [...others, ...written.slice(0, 1)].map(folded).filter(title => title !== '')
}

function isNamed(heading: string, titles: string[]): boolean {
  if (heading === '') return false
  return titles.some(
    title =>
      title === heading ||
      (heading.length >= tellingLength && (title.includes(heading) || heading.includes(title))),
  )
}

const folded = (text: string): string =>
  cleanText(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** A site name is near the start of its heading. */
const siteNameReach = 20

/** A heading that only links to the front page is the site's name, not the page's. */
export function isSiteName(document: FlatDocument, heading: NodeId): boolean {
  const end = Math.min(document.end(heading), heading + siteNameReach)
  for (let node = heading + 1; node < end; node++) {
    if (document.isElement(node) && document.name(node) === 'a') {
      return /^(?:\.?\/?|https?:\/\/[^/]+\/?)$/.test(document.attribute(node, 'href') ?? '-')
    }
  }
  return false
}
