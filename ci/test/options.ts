// Reads the command line of the test runner.

/** Each tier includes the ones before it. */
export const tiers = ['quick', 'long', 'nightly'] as const
export type Tier = (typeof tiers)[number]

export interface Options {
  tier: Tier
  /** Words that choose files: one of them must occur in the path. Without words, all files of the tier run. */
  words: string[]
  seed: number
  /** Adds the nightly files whose covered code changed. */
  withChanged: boolean
  /** Flags that are passed on to node. */
  flags: string[]
}

/** The seed of `make quick` and `make test`, so that two runs of one commit do the same. */
export const fixedSeed = 1

export const usage = `Usage: npm test [-- WORD… --long | --all | --seed=N | --changed | NODE-FLAG…]
  WORD       run the quick and long files whose path contains WORD; a WORD with "nightly" in it also matches nightly files
  --long     run the quick and long files (make test)
  --all      run all files, nightly ones included, with a random seed (make test-all)
  --changed  with --long: add the nightly files whose covered code changed since the merge base with main
  --seed=N   use this seed for property tests and chaos rounds
Other flags go to node, for example --test-name-pattern=robots`

/** Returns a message if the command line is wrong. */
export function readOptions(given: readonly string[], randomSeed: () => number): Options | string {
  const own = new Set(['--all', '--long', '--changed'])
  const isAll = given.includes('--all')
  const seedText = given.findLast(word => word.startsWith('--seed='))?.slice('--seed='.length)
  const seed = seedText === undefined ? (isAll ? randomSeed() : fixedSeed) : Number(seedText)
  if (!Number.isSafeInteger(seed) || seedText === '')
    return `seed "${seedText}" is not a whole number\n${usage}`
  return {
    tier: isAll ? 'nightly' : given.includes('--long') ? 'long' : 'quick',
    words: given.filter(word => !word.startsWith('-')),
    seed,
    withChanged: given.includes('--changed'),
    flags: given.filter(word => word.startsWith('-') && !own.has(word) && !word.startsWith('--seed=')),
  }
}
