// Elements by tag name, in document order. Elements inside templates are left out.
import { type FlatDocument, type NodeId, nameSet, nextNamed } from './document/index.ts'

/** Names of the tags that every record needs. One pass over the page finds all these elements. */
const common = 'title meta script link h1'.split(' ')
const commonTags = nameSet(...common, 'template')

export function elementsNamed(document: FlatDocument, name: string): readonly NodeId[] {
  return common.includes(name) ? document.derive(commonElements).get(name)! : search(document, name)
}

function commonElements(document: FlatDocument): Map<string, NodeId[]> {
  const found = new Map(common.map((name): [string, NodeId[]] => [name, []]))
  for (
    let node = nextNamed(document, commonTags, 1);
    node !== -1;
    node = nextNamed(document, commonTags, node)
  ) {
    const name = document.name(node)
    if (name !== 'template') found.get(name)!.push(node)
    node = name === 'template' ? document.end(node) : node + 1
  }
  return found
}

function search(document: FlatDocument, name: string): NodeId[] {
  const found: NodeId[] = []
  for (let node = 1; node < document.size; node++) {
    if (!document.isElement(node)) continue
    const own = document.name(node)
    if (own === name) found.push(node)
    else if (own === 'template') node = document.end(node) - 1
  }
  return found
}
