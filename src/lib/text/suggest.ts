// Suggests the known word that is nearest to a misspelt one ("Did you mean …?").

/** Maximum length of a word that is compared. No known word is longer, and the time grows with both lengths. */
const longestWord = 100

/** The nearest word of `known`; null if none is close. */
export function suggest(word: string, known: Iterable<string>): string | null {
  if (word.length > longestWord) return null
  const wanted = word.toLowerCase()
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** The suffix ` (did you mean "x"?)` for messages; empty if no word is close. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = suggest(word, known)
  return found === null ? '' : ` (did you mean "${found}"?)`
}

/** Counts insertions, deletions, substitutions and swaps of adjacent characters. Stops at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
