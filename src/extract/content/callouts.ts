// Callouts: notes and warnings that manuals set apart, as GitHub writes them in markdown.
import { cleanText } from '../../lib/text/clean-text.ts'
import { type FlatDocument, type NodeId, nameSet } from '../document/index.ts'
import { Remembered } from './remembered.ts'

interface Callout {
  kind: 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION'
  /** The element with the callout's title; -1 without one. */
  title: NodeId
  /** The title only names the kind. */
  isPlainTitle: boolean
}

const kindByWord = new Map<string, Callout['kind']>([
  ...words('NOTE', 'note info information seealso todo abstract summary example question neutral primary'),
  ...words('TIP', 'tip hint success'),
  ...words('IMPORTANT', 'important'),
  ...words('WARNING', 'warning warn attention'),
  ...words('CAUTION', 'caution danger error failure bug'),
])
const holders = nameSet('div', 'aside', 'section', 'blockquote', 'details')
const sureName = /^(?:theme-admonition|admonition(?:block)?|callout|markdown-alert|custom-block|notecard)$/
/** These need a kind besides, because sites also use them for other things. */
const likelyName = /^(?:alert|hint|message|notice)$/
const withKind =
  /^(?:(?:markdown-alert|(?:theme-)?admonition|callout|alert|notecard|hint|confluence-information-macro)--?)([a-z]+)$/
const alone = new Set('note warning tip caution important danger'.split(' '))
const titleName =
  /(?:^|\s)(?:admonition|callout|markdown-alert|custom-block|alert|note|hint)[-_]{0,2}(?:title|heading|header|label)|(?:^|\s)title(?:\s|$)/i
const worthALook = /admonition|callout|alert|note|warning|tip|caution|important|danger|hint|custom-block/i
/** Larger parts are sections of a page. */
const mostNodes = 400

export function calloutOf(document: FlatDocument, node: NodeId): Callout | null {
  if (holders[document.tag(node)] !== 1) return null
  const classes = document.attribute(node, 'class')
  if (classes === null || document.end(node) - node > mostNodes) return null
  const noted = document.attribute(node, 'data-callout')
  const kind = noted === null ? kinds.of(classes) : kindOf(classes, noted)
  if (kind === null || !worthALook.test(document.startTag(node)) || holdsPageHeading(document, node))
    return null
  const title = titleOf(document, node)
  return { kind, title, isPlainTitle: title >= 0 && isKindWord(document.text(title), kind) }
}

/** By class names. */
const kinds = new Remembered(5_000, classes => kindOf(classes, null))

function kindOf(classes: string, noted: string | null): Callout['kind'] | null {
  const names = classes.toLowerCase().split(/\s+/)
  for (const name of names) {
    const kind = kindByWord.get(withKind.exec(name)?.[1] ?? '')
    if (kind !== undefined) return kind
  }
  const kind = kindByWord.get(noted?.toLowerCase() ?? names.find(name => kindByWord.has(name)) ?? '')
  if (names.some(name => sureName.test(name))) return kind ?? 'NOTE'
  if (kind !== undefined && names.some(name => likelyName.test(name))) return kind
  return kindByWord.get(names.find(name => alone.has(name)) ?? '') ?? null
}

/** An element near the start that its name or a summary marks as title. */
function titleOf(document: FlatDocument, callout: NodeId): NodeId {
  const last = Math.min(document.end(callout), callout + 16)
  for (let node = callout + 1; node < last; node++) {
    if (!document.isElement(node)) continue
    if (document.name(node) === 'summary') return node
    const classes = document.attribute(node, 'class')
    if (classes !== null && titleName.test(classes)) return node
  }
  return -1
}

function isKindWord(title: string, kind: Callout['kind']): boolean {
  const word = cleanText(title)
    .toLowerCase()
    .replace(/[^\p{L}]+$/u, '')
  return word === '' || kindByWord.get(word) === kind
}

function holdsPageHeading(document: FlatDocument, callout: NodeId): boolean {
  for (let node = callout + 1; node < document.end(callout); node++)
    if (document.isElement(node) && (document.name(node) === 'h1' || document.name(node) === 'article'))
      return true
  return false
}

function words(kind: Callout['kind'], list: string): Array<[string, Callout['kind']]> {
  return list.split(' ').map(word => [word, kind])
}
