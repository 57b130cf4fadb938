// Warnings about the main content: it is too short, empty, or lacks the page's heading.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { elementText } from '../element-text.ts'
import { elementsNamed } from '../elements-named.ts'
import { rootOf } from '../render-need-signals.ts'
import type { Content } from './main-content.ts'
import { isSiteName } from './title-heading.ts'

/** The page and its main content, to compare them. */
interface ContentFound {
  document: FlatDocument
  content: Content
  text: string
  title: string | null
  /** Number of characters that readers see on the whole page. */
  visibleLength: number
}

/** Pages with less text than this get no warning about short content. */
const littleText = 500
const leastShare = 1 / 20
/** If a page has more first-level headings than this, they name sections and not the page. */
const maxMainHeadings = 3

export function contentWarnings(found: ContentFound): PageWarning[] {
  const { text, visibleLength } = found
  if (visibleLength === 0 || (visibleLength < littleText && rootOf(found.document).state === 'empty'))
    return [
      {
        code: 'content.empty',
        message: 'the page is empty until its scripts run; --render auto loads it in a browser',
      },
    ]
  const warnings: PageWarning[] = []
  if (visibleLength >= littleText && text.length < visibleLength * leastShare)
    warnings.push({
      code: 'content.small-share',
      message: `the main content has ${text.length} of ${visibleLength} visible characters; --full returns the whole page`,
    })
  const heading = lostHeading(found)
  if (heading !== null)
    warnings.push({ code: 'content.no-heading', message: `the main content lacks the heading "${heading}"` })
  return warnings
}

/** The first-level heading that repeats the title, if it is missing from the main content. Null otherwise. */
function lostHeading({ document, content, title }: ContentFound): string | null {
  if (title === null) return null
  const named = folded(title)
  const headings = elementsNamed(document, 'h1')
  if (headings.length > maxMainHeadings) return null
  const textOf = (node: NodeId) => cleanText(elementText(document, node))
  const main = headings.filter(node => isNamed(folded(textOf(node)), named) && !isSiteName(document, node))
  return main.length > 0 && !main.some(node => isShown(document, content, node)) ? textOf(main[0]!) : null
}

const isNamed = (heading: string, title: string): boolean => heading.length > 3 && title.includes(heading)

function isShown(document: FlatDocument, { root, isDropped }: Content, node: NodeId): boolean {
  for (let around = node; around > root; around = document.parent(around)) if (isDropped(around)) return false
  return node >= root && node < document.end(root)
}

const folded = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')
