// The text of a code block, without the line numbers, buttons and labels that highlighters add.
import { cleanText, cutControls } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'

const lineNumbers =
  /(?:^|[\s_-])(?:gutter|lineno|linenos|line-?numbers?(?:-rows)?|blob-num|lnt?)(?:$|[\s_-])/i
/** Class names of labels inside the code and in the bar above it. `title` and `name` are not in the list, because
 *  highlighters use them for words of the code. */
const labelName =
  /(?:^|\s|__|--)(?:copy|copied|clipboard|(?:copy|clipboard)[-_]?(?:code|btn|button|icon|text|wrapper)|(?:code|code-?block|highlight|snippet|pre)[-_]{1,2}(?:header|title|toolbar|bar|lang|language|label|filename|file-name|copy|copy-button|info|meta)|(?:lang|language)[-_]{1,2}(?:label|name|tag|bar)|file-?name|toolbar-item|btn-clipboard|code-?copy)(?:$|\s)/i
const copyText = /^(?:copy|copied!?|copy (?:code|snippet|to clipboard)|copy ?copied!?)$/i
const languageText = /^[a-z][\w+#.-]{0,14}$/i
const notRead = new Set('button select svg style script'.split(' '))

export function codeText(document: FlatDocument, code: NodeId): string {
  let text = ''
  for (let node = code + 1; node < document.end(code); node++) {
    if (document.isText(node)) text += document.text(node)
    else if (document.isElement(node)) {
      const name = document.name(node)
      if (name === 'br') text += '\n'
      else if (notRead.has(name) || isLineNumbers(document, node) || isCodeLabel(document, node))
        node = document.end(node) - 1
    }
  }
  return cutControls(text)
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}

/** True if the element contains only numbers. The class alone is not enough: Prism marks whole blocks with
 *  `line-numbers`. */
export function isLineNumbers(document: FlatDocument, node: NodeId): boolean {
  const classes = document.attribute(node, 'class')
  return classes !== null && lineNumbers.test(classes) && /^[\s\d]*$/.test(document.text(node))
}

/** True if the class is that of a label and the text is short. */
function isCodeLabel(document: FlatDocument, node: NodeId): boolean {
  const classes = document.attribute(node, 'class')
  if (classes === null || !labelName.test(classes)) return false
  const text = document.text(node).trim()
  return text.length <= 80 && !text.includes('\n\n')
}

/** True for text beside a code block, such as "Copy" or the name of the language. Markdown leaves this text
 *  out. */
export function isBesideCode(document: FlatDocument, node: NodeId): boolean {
  if (document.end(node) - node > 24 || !isByCode(document, node)) return false
  const text = cleanText(document.text(node))
  if (text.length === 0 || text.length > 40) return false
  return copyText.test(text) || isLabelText(document, node, text)
}

function isLabelText(document: FlatDocument, node: NodeId, text: string): boolean {
  const words = text.replace(/\s*\b(?:copy(?: code)?|copied!?)$/i, '')
  return languageText.test(words) && isCodeLabel(document, node) && !/\.\w+$/.test(words)
}

/** True if the next or previous element is code, or contains only code. */
function isByCode(document: FlatDocument, node: NodeId): boolean {
  let next = document.nextSibling(node)
  while (next >= 0 && !document.isElement(next)) next = document.nextSibling(next)
  if (next >= 0 && leadsToCode(document, next)) return true
  let before = document.previousSibling(node)
  while (before >= 0 && !document.isElement(before)) before = document.previousSibling(before)
  return before >= 0 && leadsToCode(document, before)
}

function leadsToCode(document: FlatDocument, from: NodeId): boolean {
  for (let node = from; node >= 0 && node < document.end(from); node++) {
    if (document.isText(node) && document.text(node).trim() !== '') return false
    if (document.isElement(node) && document.name(node) === 'pre') return true
  }
  return false
}

/** The language that is named by a label inside the code, or by a bar above it. Empty if there is no such
 *  label. */
export function labelledLanguage(document: FlatDocument, pre: NodeId): string {
  for (let node = pre + 1; node < document.end(pre); node++)
    if (document.isElement(node) && isCodeLabel(document, node)) return languageIn(document, node)
  let before = document.previousSibling(pre)
  while (before >= 0 && !document.isElement(before)) before = document.previousSibling(before)
  return before >= 0 && isBesideCode(document, before) ? languageIn(document, before) : ''
}

function languageIn(document: FlatDocument, label: NodeId): string {
  const words = cleanText(document.text(label)).replace(/\s*\b(?:copy(?: code)?|copied!?)$/i, '')
  return languageText.test(words) && !/\.\w+$/.test(words) ? words.toLowerCase() : ''
}
