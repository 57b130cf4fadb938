// Finds the URL of an image. Lazily loaded images have it in another attribute than `src`.
import type { FlatDocument, NodeId } from '../document/index.ts'

const lateAttributes = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-lazy',
  'data-actualsrc',
  'data-hi-res-src',
]
const lateSets = ['data-srcset', 'data-lazy-srcset', 'srcset']

export function imageSource(document: FlatDocument, image: NodeId): string | null {
  for (const attribute of lateAttributes) {
    const late = document.attribute(image, attribute)
    if (late) return late
  }
  const source = document.attribute(image, 'src')
  if (source && !source.startsWith('data:')) return source
  return firstOfSet(document, image) ?? pictureSource(document, image)
}

function firstOfSet(document: FlatDocument, node: NodeId): string | null {
  for (const attribute of lateSets) {
    const [first] = document.attribute(node, attribute)?.trim().split(/[\s,]/, 1) ?? []
    if (first && !first.startsWith('data:')) return first
  }
  return null
}

/** The URL of the first `source` beside the image in a `picture` element. */
function pictureSource(document: FlatDocument, image: NodeId): string | null {
  const picture = document.parent(image)
  if (document.name(picture) !== 'picture') return null
  for (let node = document.firstChild(picture); node >= 0; node = document.nextSibling(node)) {
    const found = document.name(node) === 'source' ? firstOfSet(document, node) : null
    if (found !== null) return found
  }
  return null
}

/** True for images that are content although they have no description: large ones, and those in figures. */
export function isContentImage(document: FlatDocument, image: NodeId): boolean {
  if (Number.parseInt(document.attribute(image, 'width') ?? '', 10) >= largeWidth) return true
  let around = document.parent(image)
  for (let level = 0; level < 3 && around > 0; level++) {
    if (document.name(around) === 'figure') return true
    around = document.parent(around)
  }
  return false
}

const largeWidth = 200
