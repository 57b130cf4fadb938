// Which test files cover a source file: the one beside it, and those that import it.
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const imports = /(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g

export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Paths are relative to the root, with slashes. */
export function importGraph(root: string, files: readonly string[]): ImportGraph {
  return new Map(files.map(file => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]))
}

export const importsOf = (file: string, source: string): string[] => [
  ...new Set([...source.matchAll(imports)].map(([, to]) => posix.normalize(posix.join(dirname(file), to!)))),
]

export const isTest = (file: string): boolean => file.endsWith('.test.ts')
/** Whole clusters, browsers and minutes of chaos: too slow to run for each mutant. */
const isSlow = (file: string): boolean => /\.(long|nightly)\.test\.ts$/.test(file)

/** For example, `src/pipeline/coordinate/settle/settle.ts` belongs to the part `src/pipeline`. */
const partOf = (file: string): string => file.split('/').slice(0, 2).join('/')

/** The tests that import the file, directly or through files of the same folder (`src/dispatch`). Imports through other folders
 *  do not count, because through them nearly every test imports everything. */
export function relatedTests(graph: ImportGraph, file: string): string[] {
  const part = partOf(file)
  const reaching = new Set([file])
  for (let before = 0; before !== reaching.size; ) {
    before = reaching.size
    for (const [from, to] of graph)
      if (from.startsWith(`${part}/`) && !isTest(from) && to.some(one => reaching.has(one)))
        reaching.add(from)
  }
  return [...graph]
    .filter(([from, to]) => isTest(from) && !isSlow(from) && to.some(one => reaching.has(one)))
    .map(([from]) => from)
}

export const testBeside = (file: string): string => file.replace(/\.ts$/, '.test.ts')
