// Decides which elements are hidden. Some elements with a hiding attribute or class are visible to readers anyway.
import type { FlatDocument, NodeId } from '../document/index.ts'

const unhiddenLater = /:(?:block|flex|grid|inline|contents|table)|(?:^|\s)d-(?:sm|md|lg|xl|xxl)-(?!none)/
const displayNone = /(?:^|;)\s*display\s*:\s*none|(?:^|;)\s*visibility\s*:\s*hidden/i
/** Ids of hidden elements into which React streams parts of a page. A script moves them to their place, so they are
 *  content. */
const streamedId = /^S:[\da-f]+$/i

/** Checks attributes, style and classes. `aria-hidden` does not hide an element visually, so it counts only for
 *  symbols. */
export function isHidden(document: FlatDocument, node: NodeId): boolean {
  const hidden = document.attribute(node, 'hidden')
  if (hidden !== null && hidden.toLowerCase() !== 'until-found') return !isStreamed(document, node)
  if (document.attribute(node, 'aria-hidden') === 'true' && isSign(document, node)) return true
  const style = document.attribute(node, 'style')
  if (style !== null && displayNone.test(style)) return true
  return hidesByClass(document.attribute(node, 'class') ?? '')
}

/** True for symbols such as stars, arrows and letters of icon fonts. */
function isSign(document: FlatDocument, node: NodeId): boolean {
  return document.end(node) - node < 4 && !/[\p{L}\p{N}]{2}/u.test(document.text(node))
}

function isStreamed(document: FlatDocument, node: NodeId): boolean {
  return streamedId.test(document.attribute(node, 'id') ?? '')
}

/** True if the classes hide the element on desktop screens. `hidden md:block` hides it only on phones. */
export function hidesByClass(classes: string): boolean {
  if (labelsOnly.test(classes)) return true
  return hiddenClass.test(classes) && !unhiddenLater.test(classes)
}

/** Classes of Tailwind and Bootstrap that hide an element or show it only in print. */
const hiddenClass =
  /(?:^|\s)(?:hidden|d-none|is-hidden|print-only|visible-print(?:-block)?|printonly)(?:\s|$)/

const labelsOnly = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?)(?:\s|$)/i

/** True for text that only screen readers present. It repeats visible content. */
export function isForScreenReaders(document: FlatDocument, node: NodeId): boolean {
  return labelsOnly.test(document.attribute(node, 'class') ?? '')
}
