// Where a picture really is, when the page loads it late.
import type { FlatDocument, NodeId } from '../document/index.ts'

const lateAttributes = ['data-src', 'data-original', 'data-lazy-src']

export function imageSource(document: FlatDocument, image: NodeId): string | null {
  for (const attribute of lateAttributes) {
    const late = document.attribute(image, attribute)
    if (late) return late
  }
  const source = document.attribute(image, 'src')
  if (source && !source.startsWith('data:')) return source
  return document.attribute(image, 'srcset')?.trim().split(/[\s,]/, 1)[0] || null
}
