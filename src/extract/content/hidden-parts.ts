// Decides about hidden parts: content that scripts show later stays, everything else is dropped.
import type { NodeId } from '../document/index.ts'
import { codeOf } from './drop-rules.ts'
import { Sums } from './sums.ts'
import type { Survey } from './survey.ts'

/** A hidden part with more than this share of the page's running text is the content, which a script shows later. */
const mainShare = 0.4
/** A hidden card is a hidden part that scripts show later as a box. It has more characters than this, several paragraphs or
 *  list items, few links and few form fields. */
const cardLength = 200

/** Drops hidden parts that are not content. Returns the hidden parts that are content. */
export function settleHidden(survey: Survey, dropped: Uint8Array): NodeId[] {
  const shown: NodeId[] = []
  if (survey.hidden.length === 0) return shown
  const sums = new Sums(survey, dropped)
  const code = codeOf('hidden')
  const all = sums.prose(survey.body)
  let skipTo = 0
  for (const node of survey.hidden) {
    if (node < skipTo) continue
    const isMain = sums.prose(node) > all * mainShare
    const isCard =
      sums.text(node) > cardLength &&
      sums.linkShare(node) < 0.2 &&
      isStructured(survey, node, sums.controls(node))
    if (isMain || isCard) {
      shown.push(node)
      continue
    }
    dropped[node] = code
    skipTo = survey.document.end(node)
  }
  return shown
}

/** True if the part has headings, a list or several paragraphs. Such parts are meant for readers. */
function isStructured({ document }: Survey, part: NodeId, controls: number): boolean {
  let items = 0
  let headings = 0
  for (let node = part + 1; node < document.end(part); node++) {
    if (!document.isElement(node)) continue
    const name = document.name(node)
    if (name === 'li' || name === 'p' || name === 'tr') items++
    else if (/^h[1-6]$/.test(name)) headings++
  }
  return (items >= 3 && headings >= 1 && controls === 0) || (items >= 5 && controls <= items + 3)
}
