// Explains the choice of the main content, for `try --why`.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { type DropRule, ruleOf, ruleText } from './drop-rules.ts'
import { mainContent } from './main-content.ts'

export interface ContentReasons {
  pageKind: string
  sure: boolean
  why: string
  /** The element of the main content as a path of tags, ids and classes. */
  root: string
  dropped: Array<{
    rule: DropRule
    meaning: string
    element: string
    /** Length and first characters of the dropped text. */
    length: number
    begins: string
  }>
}

const maxDropped = 500
const maxBeginning = 80
const maxLevels = 6
/** Rules that the explanation does not list, because they drop only content that readers never see, such as
 *  scripts. */
const unsaid: ReadonlySet<DropRule> = new Set<DropRule>(['unread'])

export function explainContent(document: FlatDocument): ContentReasons {
  const { kind, root, dropped } = mainContent(document)
  const reasons: ContentReasons = {
    pageKind: kind.kind,
    sure: kind.sure,
    why: kind.why,
    root: pathOf(document, root),
    dropped: [],
  }
  for (let node = 1; node < document.size && reasons.dropped.length < maxDropped; node++) {
    const rule = droppedBy(document, root, dropped, node)
    if (rule === null) continue
    addReason(document, node, rule, reasons)
    node = document.end(node) - 1
  }
  return reasons
}

/** The rule that dropped this node; null if it is not dropped. Nodes outside the main content count as dropped by the
 *  rule `outside`. */
function droppedBy(document: FlatDocument, root: NodeId, dropped: Uint8Array, node: NodeId): DropRule | null {
  const own = ruleOf(dropped[node]!)
  if (own !== null) return own
  const holdsRoot = node <= root && root < document.end(node)
  const isInside = node >= root && node < document.end(root)
  return holdsRoot || isInside || document.kind(node) === 'comment' ? null : 'outside'
}

function addReason(document: FlatDocument, node: NodeId, rule: DropRule, reasons: ContentReasons): void {
  const text = document.kind(node) === 'comment' ? '' : cleanText(document.text(node))
  if (text === '' || unsaid.has(rule) || document.name(node) === 'head') return
  const element = pathOf(document, document.isElement(node) ? node : document.parent(node))
  const begins = text.length > maxBeginning ? `${text.slice(0, maxBeginning)}…` : text
  reasons.dropped.push({ rule, meaning: ruleText(rule), element, length: text.length, begins })
}

function pathOf(document: FlatDocument, node: NodeId): string {
  const steps: string[] = []
  for (let at = node; at > 0 && steps.length < maxLevels; at = document.parent(at))
    steps.unshift(step(document, at))
  return steps.join(' > ')
}

function step(document: FlatDocument, node: NodeId): string {
  const id = document.attribute(node, 'id')
  const classes = document.attribute(node, 'class')?.trim().split(/\s+/).slice(0, 2) ?? []
  const names = classes.filter(name => name !== '').map(name => `.${name}`)
  return `${document.name(node)}${id ? `#${id.trim()}` : ''}${names.join('')}`
}
