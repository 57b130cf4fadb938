// The namespace of an element, as browsers define it.
import type { FlatDocument } from './flat-document.ts'
import type { NodeId } from './records.ts'

export const namespaces = {
  html: 'http://www.w3.org/1999/xhtml',
  svg: 'http://www.w3.org/2000/svg',
  math: 'http://www.w3.org/1998/Math/MathML',
} as const
export type Namespace = keyof typeof namespaces

/** Foreign elements are always inside `svg` or `math`, so the nearest of these decides. */
export function namespaceOf(document: FlatDocument, node: NodeId): Namespace {
  for (let element = node; element > 0 && document.isForeign(element); element = document.parent(element)) {
    const name = document.name(element)
    if (name === 'svg' || name === 'math') return name
  }
  return 'html'
}
