// Reads `requirements-NNN.md`: which lines of a seed document ask for something, and the test or mapping row that answers each of them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Requirement {
  /** Line numbers of the seed document. */
  lines: number[]
  /** The requirement in short. */
  says: string
  /** `FILE: TITLE OF THE TEST`, or `mapping ID` for a row of the mapping table in docs/product_design.md. In a title, `…` stands for
   *  any text: the value in the title of a test that runs for several values, or the rest of a title. */
  shownBy: string
}

export interface Seed {
  /** The number of the seed, like `002`. */
  seed: string
  /** Every line of the seed document that asks for something. */
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
