// Decides which elements are hidden, and which of them readers see after all.
import type { FlatDocument, NodeId } from '../document/index.ts'

const unhiddenLater = /:(?:block|flex|grid|inline|contents|table)|(?:^|\s)d-(?:sm|md|lg|xl|xxl)-(?!none)/
const displayNone = /(?:^|;)\s*display\s*:\s*none|(?:^|;)\s*visibility\s*:\s*hidden/i
/** React streams parts of a page into hidden elements and moves them into place. */
const streamedId = /^S:[\da-f]+$/i

/** By attribute, style or class. `aria-hidden` does not hide anything visually. */
export function isHidden(document: FlatDocument, node: NodeId): boolean {
  const hidden = document.attribute(node, 'hidden')
  if (hidden !== null && hidden.toLowerCase() !== 'until-found') return !isStreamed(document, node)
  if (document.attribute(node, 'aria-hidden') === 'true' && isSign(document, node)) return true
  const style = document.attribute(node, 'style')
  if (style !== null && displayNone.test(style)) return true
  return hidesByClass(document.attribute(node, 'class') ?? '')
}

/** Stars, arrows and letters of icon fonts. */
function isSign(document: FlatDocument, node: NodeId): boolean {
  return document.end(node) - node < 4 && !/[\p{L}\p{N}]{2}/u.test(document.text(node))
}

function isStreamed(document: FlatDocument, node: NodeId): boolean {
  return streamedId.test(document.attribute(node, 'id') ?? '')
}

/** `hidden md:block` is hidden on phones only. */
export function hidesByClass(classes: string): boolean {
  if (labelsOnly.test(classes)) return true
  return hiddenClass.test(classes) && !unhiddenLater.test(classes)
}

/** Hidden by classes of Tailwind and Bootstrap, or only shown in print. */
const hiddenClass =
  /(?:^|\s)(?:hidden|d-none|is-hidden|print-only|visible-print(?:-block)?|printonly)(?:\s|$)/

const labelsOnly = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?)(?:\s|$)/i

/** Text for screen readers repeats visible content. */
export function isForScreenReaders(document: FlatDocument, node: NodeId): boolean {
  return labelsOnly.test(document.attribute(node, 'class') ?? '')
}
