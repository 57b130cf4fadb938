// Decides what is read from a picked element: its text or an attribute, and the type of the value.
import type { FieldType } from '../../model/extraction-rules.ts'
import type { FlatDocument, NodeId } from '../document/index.ts'
import { valueKind } from './leaves.ts'
import { textAt } from './nodes.ts'

interface Value {
  attr?: string
  as?: FieldType
}

/** Attributes in which lazily loaded images have their URL. */
const lazy = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'data-image', 'data-url']
const most = 0.8

export function takenOf(document: FlatDocument, nodes: readonly NodeId[]): Value {
  const found = nodes.filter(node => node >= 0)
  const [first] = found
  if (first === undefined) return {}
  const tag = document.name(first)
  if (tag === 'img') return { attr: imageAttribute(document, found), as: 'url' }
  if (tag === 'time' && found.every(node => document.attribute(node, 'datetime')))
    return { attr: 'datetime', as: 'date' }
  if (tag === 'meta' || tag === 'data') return { attr: tag === 'meta' ? 'content' : 'value' }
  const kinds = found.map(node => valueKind(document, node, textAt(document, node)))
  const are = (kind: string) => kinds.filter(one => one === kind).length >= kinds.length * most
  if (are('money')) return { as: 'money' }
  if (are('number') && found.every(node => /^[\d.,\s+-]{1,12}$/.test(textAt(document, node))))
    return { as: 'number' }
  return are('email') ? { as: 'email' } : {}
}

/** A lazy attribute if most images have a URL in it; otherwise `src`. */
function imageAttribute(document: FlatDocument, nodes: readonly NodeId[]): string {
  const isReal = (value: string | null) => value !== null && value !== '' && !value.startsWith('data:')
  const count = (name: string) => nodes.filter(node => isReal(document.attribute(node, name))).length
  const other = lazy.find(name => count(name) >= nodes.length * most)
  return other !== undefined && count('src') < nodes.length * most ? other : (other ?? 'src')
}

/** Approximately the value that a record will contain. Null if there is none. */
export function shownValue(document: FlatDocument, node: NodeId, attr: string | undefined): string | null {
  if (node < 0) return null
  const text = attr === undefined ? textAt(document, node) : (document.attribute(node, attr) ?? '')
  return text === '' ? null : text.slice(0, 500)
}
