// Reads `requirements-NNN.md`: the requirements of a seed document (an earlier specification), and for each requirement a test or
// a row of the mapping table.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Requirement {
  /** Line numbers of the seed document. */
  lines: number[]
  /** The requirement in a few words. */
  says: string
  /** `FILE: TITLE OF THE TEST`, or `mapping ID` for a row of the mapping table in docs/product_design.md. In a title, `…` matches
   *  any text, for example the value of a test that runs for several values. */
  shownBy: string
}

export interface Seed {
  /** The number of the seed, like `002`. */
  seed: string
  /** The numbers of all lines of the seed document that contain a requirement. */
  lines: number[]
  requirements: Requirement[]
}

/** `2 6-8` gives 2, 6, 7, 8. */
export function numbersIn(text: string): number[] {
  return text.split(' ').flatMap(part => {
    const [from = '', to = from] = part.split('-')
    if (!/^\d+$/.test(from) || !/^\d+$/.test(to)) throw new Error(`"${part}" is not a line or a range`)
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index)
  })
}

export function parseSeed(seed: string, text: string): Seed {
  const [, lines = ''] = /^The lines of the seed document that ask for something: (.*)\.$/m.exec(text) ?? []
  const rows = [...text.matchAll(/^\| (\d[\d -]*) \| (.*?) \| (.*) \|$/gm)]
  return {
    ...{ seed, lines: numbersIn(lines) },
    requirements: rows.map(([, own, says, shownBy]) => ({
      ...{ lines: numbersIn(own!), says: says!, shownBy: shownBy! },
    })),
  }
}

const folder = import.meta.dirname

export const seeds: readonly Seed[] = readdirSync(folder)
  .flatMap(name => /^requirements-(\d{3})\.md$/.exec(name)?.[1] ?? [])
  .toSorted()
  .map(seed => parseSeed(seed, readFileSync(join(folder, `requirements-${seed}.md`), 'utf8')))
