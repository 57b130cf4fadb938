// Finds the heading that repeats the page's title. The title comes from the title element or from social media tags.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { elementText } from '../element-text.ts'
import { elementsNamed } from '../elements-named.ts'
import type { PageFacts } from '../page-facts.ts'

const maxHeadings = 200
/** A heading with fewer characters may be part of a title by chance. */
const tellingLength = 8
/** Only this many characters of a heading are compared. If a heading element encloses a long page, comparing its whole text
 *  would be slow. */
const comparedLength = 2_000

/** The first matching heading of the highest level. If none matches, the first h1; -1 if there is none. */
export function titleHeading(facts: PageFacts, headings: readonly NodeId[]): NodeId {
  const { document } = facts
  const titles = titlesOf(facts)
  for (const level of [1, 2, 3] as const) {
    const found = headings
      .slice(0, maxHeadings)
      .filter(node => document.name(node) === `h${level}` && !isSiteName(document, node))
    const named = found.find(node => isNamed(startOf(document, node), titles))
    if (named !== undefined) return named
  }
  return headings.find(node => document.name(node) === 'h1' && !isSiteName(document, node)) ?? -1
}

const startOf = (document: FlatDocument, heading: NodeId): string =>
  folded(elementText(document, heading).slice(0, comparedLength))

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

/** Maximum number of nodes of a heading that are searched for a link to the front page. */
const siteNameReach = 20

/** True if the first link in the heading leads to the front page. The heading is then the name of the site, not of the page. */
export function isSiteName(document: FlatDocument, heading: NodeId): boolean {
  const end = Math.min(document.end(heading), heading + siteNameReach)
  for (let node = heading + 1; node < end; node++) {
    if (document.isElement(node) && document.name(node) === 'a') {
      return /^(?:\.?\/?|https?:\/\/[^/]+\/?)$/.test(document.attribute(node, 'href') ?? '-')
    }
  }
  return false
}
