// Loaded before a test (--import). Replaces a part of one source file in memory, as the environment variable MUTANT says. The
// file on disk does not change.
import { registerHooks } from 'node:module'

interface Mutant {
  /** The URL of the file. */
  url: string
  start: number
  end: number
  text: string
}

const mutant = JSON.parse(process.env.MUTANT ?? 'null') as Mutant | null

if (mutant)
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (url !== mutant.url || loaded.source === null || loaded.source === undefined) return loaded
      const source =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source)
      const { start, end, text } = mutant
      return { ...loaded, source: source.slice(0, start) + text + source.slice(end) }
    },
  })
