// Finds text that readers do not see. It may be meant to influence programs.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { isHidden } from './hidden.ts'

/** Elements whose text is never displayed. */
const noText = new Set('script style template noscript head title iframe object svg math'.split(' '))

/** Inline styles that hide text: transparent, zero size, off-screen or clipped. */
const unseenStyle =
  /opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0|color\s*:\s*transparent|text-indent\s*:\s*-\d{3,}|(?:left|top|right|bottom|margin-left)\s*:\s*-\d{3,}|clip-path\s*:\s*inset\(\s*(?:50|100)%|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01]|(?:^|;)\s*(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|$)|transform\s*:\s*scale\(\s*0/i

/** The outermost elements that hide text, in document order. */
export function hiddenElements(document: FlatDocument): NodeId[] {
  const found: NodeId[] = []
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    const name = document.name(node)
    const hides = noText.has(name) ? null : isHidden(document, node) || isUnseen(document, node, name)
    if (hides === false) continue
    if (hides && cleanText(document.text(node)) !== '') found.push(node)
    node = document.end(node) - 1
  }
  return found
}

function isUnseen(document: FlatDocument, node: NodeId, name: string): boolean {
  const style = document.attribute(node, 'style')
  if (style !== null && (unseenStyle.test(style) || isBlank(style))) return true
  return name === 'font' && /^#?(?:fff|ffffff|white)$/i.test(document.attribute(node, 'color') ?? '')
}

/** True if the text has the color of its background. Without a background color, white text counts. */
function isBlank(style: string): boolean {
  const colour = /(?:^|;)\s*color\s*:\s*([^;]+)/i.exec(style)?.[1]?.trim().toLowerCase()
  const behind = /background(?:-color)?\s*:\s*([^;]+)/i.exec(style)?.[1]?.trim().toLowerCase()
  return (
    colour !== undefined &&
    (behind === undefined ? /^(?:#fff(?:fff)?|white)$/.test(colour) : colour === behind)
  )
}
