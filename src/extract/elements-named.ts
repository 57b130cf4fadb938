// Elements by tag name, in document order, those inside a template left out.
import type { FlatDocument, NodeId } from './document/index.ts'

export function elementsNamed(document: FlatDocument, name: string): NodeId[] {
  const found: NodeId[] = []
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    const own = document.name(node)
    if (own === name) found.push(node)
    else if (own === 'template') node = document.end(node) - 1
  }
  return found
}
