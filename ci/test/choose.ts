// Decides which test files a run includes, and in which order.
import { type Options, type Tier, tiers } from './options.ts'

export interface Choice {
  files: string[]
  /** Nightly files that a run of the long tier does not include. */
  leftOut: string[]
}

export function tierOf(file: string): Tier {
  if (file.endsWith('.nightly.test.ts')) return 'nightly'
  return file.endsWith('.long.test.ts') ? 'long' : 'quick'
}

/** `changed` are the nightly files whose covered code changed. */
export function choose(all: readonly string[], options: Options, changed: readonly string[]): Choice {
  const { words, tier } = options
  const isIncluded = (file: string) => tiers.indexOf(tierOf(file)) <= tiers.indexOf(tier)
  if (words.length > 0) {
    const matches = (file: string) =>
      words.some(word => file.includes(word) && (word.includes('nightly') || tierOf(file) !== 'nightly'))
    const files = all.filter(
      file => matches(file) || (isIncluded(file) && words.some(word => file.includes(word))),
    )
    return { files: slowFirst(files), leftOut: [] }
  }
  const files = all.filter(file => isIncluded(file) || changed.includes(file))
  const leftOut = tier === 'long' ? all.filter(file => !files.includes(file)) : []
  return { files: slowFirst(files), leftOut }
}

/** A slow file that starts last would run alone and keep only one core busy. */
function slowFirst(files: string[]): string[] {
  const weight = (file: string) => 3 * tiers.indexOf(tierOf(file)) + folderWeight(file)
  return files.toSorted((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1))
}

function folderWeight(file: string): number {
  if (/^(test\/(system|chaos|dashboard|drop-in)|src\/fetch\/browser)\//.test(file)) return 2
  return file.startsWith('test/') ? 1 : 0
}
