// Splits a batch whose worker died into smaller parts. This isolates the item that kills workers and lets the other
// items continue.

/** Number of parts after the first loss. After the second loss, each item is alone. */
const firstParts = 16

export function smallerParts<Item>(items: readonly Item[], losses: number): Item[][] {
  const size = losses <= 1 ? Math.ceil(items.length / firstParts) : 1
  const parts: Item[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
