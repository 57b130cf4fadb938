// Decides whether a page needs a browser: the response is an empty shell, or lacks content that only scripts add.

import { cleanText } from '../lib/text/clean-text.ts'
import { countOf } from '../lib/text/units.ts'
import { unreadElements } from './block-elements.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import { elementText } from './element-text.ts'
import {
  appScripts,
  asksForScripts,
  hasEmptyRoot,
  isNotice,
  onlyCustomElement,
  placeholdersIn,
  rootOf,
} from './render-need-signals.ts'

export type RenderNeed = { needs: true; why: string } | { needs: false }

const no: RenderNeed = { needs: false }
const yes = (why: string): RenderNeed => ({ needs: true, why })

/** With this much text outside links and menus, the server rendered the page. */
const enoughCharacters = 400
/** A page with less text and fewer elements than this is empty. */
const shellCharacters = 60
const shellElements = 25
/** A page with less text than this counts as empty if it asks for scripts or consists of one custom element. */
const littleCharacters = 200

/** `missingRequired` lists required fields without a value. */
export function renderNeed(asked: {
  document: FlatDocument
  missingRequired: readonly string[]
}): RenderNeed {
  const { document, missingRequired } = asked
  // Fast checks first: most pages have text and no empty root.
  const isRootEmpty = hasEmptyRoot(document)
  const hasText = hasEnoughText(document, isRootEmpty)
  if (hasText && missingRequired.length === 0) return no
  const scripts = appScripts(document)
  if (scripts === 0) return no
  const shell = hasText ? no : shellOf(document, scripts)
  if (shell.needs || missingRequired.length === 0) return shell
  const names = missingRequired.slice(0, 5).map(name => `"${name}"`)
  return yes(`no value for ${names.join(', ')}, and ${countOf(scripts, 'script')} that may add it`)
}

function shellOf(document: FlatDocument, scripts: number): RenderNeed {
  const body = bodyOf(document)
  const text = cleanText(elementText(document, body))
  const madeBy = `and ${countOf(scripts, 'script')} may fill it`
  const root = rootOf(document)
  if (root.state === 'empty') return yes(`${root.tag} is empty, ${madeBy}`)
  if (placeholdersIn(text) > 1) return yes(`the text still contains {{ … }}, ${madeBy}`)
  if (text.length >= littleCharacters || root.state === 'filled') return no
  if (asksForScripts(document)) return yes(`the page asks for JavaScript, ${madeBy}`)
  if (document.source.includes('BAILOUT_TO_CLIENT_SIDE_RENDERING'))
    return yes(`the server sent no content and left the rendering to the browser, ${madeBy}`)
  const custom = onlyCustomElement(document, body)
  if (custom !== null) return yes(`${custom} is empty, ${madeBy}`)
  if (text.length < shellCharacters && isBare(document, body))
    return yes(`${countOf(text.length, 'character')} of text, ${madeBy}`)
  return no
}

/** Elements that are not content. Empty pages have navigation and similar parts too. */
const besideContent = new Set([
  ...unreadElements,
  'a',
  'nav',
  'header',
  'footer',
  'aside',
  'button',
  'option',
  'label',
  'dialog',
])

/** Stops as soon as there is enough text. If a root is empty, legal notices do not count. */
function hasEnoughText(document: FlatDocument, isRootEmpty: boolean): boolean {
  let characters = 0
  for (let node = 1; node < document.size; node++) {
    if (document.isText(node)) {
      characters += readableLength(document.text(node))
      if (characters >= enoughCharacters) return true
    } else if (
      document.isElement(node) &&
      (besideContent.has(document.name(node)) || (isRootEmpty && isNotice(document, node)))
    )
      node = document.end(node) - 1
  }
  return false
}

/** Number of readable characters: 0 for a text with placeholders such as `{{name}}`. */
const readableLength = (text: string): number =>
  text.includes('{{') && placeholdersIn(text) > 0 ? 0 : text.trim().length

function bodyOf(document: FlatDocument): NodeId {
  for (let node = 1; node < document.size; node++) {
    if (document.isElement(node) && document.name(node) === 'body') return node
  }
  return 0
}

/** True if the body has few elements, and none that shows content, such as a heading, image, table or form field. */
function isBare(document: FlatDocument, body: NodeId): boolean {
  let elements = 0
  for (let node = body + 1; node < document.end(body); node++) {
    if (!document.isElement(node)) continue
    const name = document.name(node)
    if (shows.has(name) || ++elements > shellElements) return false
    if (unreadElements.has(name)) node = document.end(node) - 1
  }
  return true
}

const shows = new Set(
  'h1 h2 h3 h4 h5 h6 img picture video audio iframe object embed input textarea table frame frameset'.split(
    ' ',
  ),
)
