// Parts of a batch that somebody died with: ever smaller, so that the item that is to blame is found and the others go on soon.

/** How many parts there are after the first loss; after that each item is alone. */
const firstParts = 16

export function smallerParts<Item>(items: readonly Item[], losses: number): Item[][] {
  const size = losses <= 1 ? Math.ceil(items.length / firstParts) : 1
  const parts: Item[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
