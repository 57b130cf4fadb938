// Splits a batch whose worker died into ever smaller parts, to isolate the poisonous item and let the others continue.

/** Number of parts after the first loss; after the second, each item is alone. */
const firstParts = 16

export function smallerParts<Item>(items: readonly Item[], losses: number): Item[][] {
  const size = losses <= 1 ? Math.ceil(items.length / firstParts) : 1
  const parts: Item[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
