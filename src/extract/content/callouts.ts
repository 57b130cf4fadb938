// Finds callouts: notes and warnings that manuals set apart. In markdown they become GitHub alerts.
import { cleanText } from '../../lib/text/clean-text.ts'
import { type FlatDocument, type NodeId, nameSet } from '../document/index.ts'
import { NameCache } from './name-cache.ts'

interface Callout {
  kind: 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION'
  /** The element of the callout's title; -1 if there is none. */
  title: NodeId
  /** True if the title says only the kind, such as "Note". */
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
/** Class names that mark a callout only together with a kind, because sites also use them for other elements. */
const likelyName = /^(?:alert|hint|message|notice)$/
const withKind =
  /^(?:(?:markdown-alert|(?:theme-)?admonition|callout|alert|notecard|hint|confluence-information-macro)--?)([a-z]+)$/
const alone = new Set('note warning tip caution important danger'.split(' '))
const titleName =
  /(?:^|\s)(?:admonition|callout|markdown-alert|custom-block|alert|note|hint)[-_]{0,2}(?:title|heading|header|label)|(?:^|\s)title(?:\s|$)/i
const worthALook = /admonition|callout|alert|note|warning|tip|caution|important|danger|hint|custom-block/i
/** A callout has at most this many nodes. Larger elements are sections of the page. */
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

/** Kinds by class attribute, cached across pages. */
const kinds = new NameCache(5_000, classes => kindOf(classes, null))

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

/** The title of a callout: an element near its start that is a `summary` or has a class name for titles. -1
 *  if there is none. */
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
