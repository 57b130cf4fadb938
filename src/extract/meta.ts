// Reads meta elements.
import type { FlatDocument } from './document/index.ts'
import { elementsNamed } from './elements-named.ts'

const nameAttributes = ['name', 'property', 'itemprop', 'http-equiv']

/** Values by name in lower case, in document order. A name may have several values, such as images. */
export function readMeta(document: FlatDocument): Map<string, string[]> {
  const meta = new Map<string, string[]>()
  for (const node of elementsNamed(document, 'meta')) {
    const content = document.attribute(node, 'content')
    if (content === null) continue
    for (const attribute of nameAttributes) {
      const name = document.attribute(node, attribute)?.trim().toLowerCase()
      if (!name) continue
      // RDFa allows several properties in one attribute: `property="dc:title og:title"`.
      for (const one of attribute === 'property' ? name.split(/\s+/) : [name]) addValue(meta, one, content)
    }
  }
  return meta
}

function addValue(meta: Map<string, string[]>, name: string, value: string): void {
  const values = meta.get(name)
  if (values === undefined) meta.set(name, [value])
  else values.push(value)
}
