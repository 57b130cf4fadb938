// A reduced form of a page's markup: elements, useful attributes and some text. A model writes selectors from it.
// Hidden content is left out.
import { cleanText } from '../../lib/text/clean-text.ts'
import { wholePage } from '../content/main-content.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'

const maxCharacters = 40_000
const maxText = 80
const telling = /^(?:id|class|itemprop|role|name|type|data-[\w-]{1,40})$/

export function skeletonOf(document: FlatDocument): string {
  const { root, isDropped } = wholePage(document)
  const ends: Array<{ at: NodeId; tag: string }> = []
  let markup = ''
  for (let node = root; node < document.end(root) && markup.length < maxCharacters; node++) {
    while (ends.length > 0 && node >= ends.at(-1)!.at) markup += ends.pop()!.tag
    if (document.isText(node)) markup += shortText(document.text(node))
    else if (document.isElement(node)) {
      if (isDropped(node)) node = document.end(node) - 1
      else {
        markup += startTag(document, node)
        ends.push({ at: document.end(node), tag: `</${document.name(node)}>` })
      }
    }
  }
  return markup.slice(0, maxCharacters)
}

function startTag(document: FlatDocument, node: NodeId): string {
  const attributes = document
    .attributes(node)
    .filter(([name]) => telling.test(name))
    .map(([name, value]) => ` ${name}="${cleanText(value).slice(0, 200).replaceAll('"', '&quot;')}"`)
  return `<${document.name(node)}${attributes.join('')}>`
}

const shortText = (text: string): string => cleanText(text).slice(0, maxText).replaceAll('<', '&lt;')
