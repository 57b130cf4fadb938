// Reads the project's source files and what each of them imports, for the checks of the architecture.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export const projectRoot = join(import.meta.dirname, '../..')

export interface SourceFile {
  /** From the project's root, like `src/lib/collections/heap.ts`. */
  path: string
  /** The folder of `src/` to which the file belongs, or the name of the file if it is directly in `src/`. */
  part: string
  text: string
  imports: Import[]
}

export interface Import {
  /** The file in this project, or null for a package. */
  path: string | null
  /** The package or built-in module, like `zod` or `node:fs`; null for our own files. */
  module: string | null
  /** True if the import disappears together with the types, so that it has no effect at run time. */
  typesOnly: boolean
}

export function readSourceFiles(...patterns: string[]): SourceFile[] {
  const outside = /(^|\/)(node_modules|dist|\.work)(\/|$)/
  return globSync(patterns, { cwd: projectRoot, exclude: name => outside.test(name) })
    .sort()
    .map(readSourceFile)
}

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(join(projectRoot, path), 'utf8')
  return { path, part: partOf(path), text, imports: importsIn(text, path) }
}

export const partOf = (path: string): string => path.split('/')[1] ?? path

export const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('test/')

/** Only names, commas and braces may stand before `from`. So a sentence or a template that contains the word is not taken for an
 *  import. */
const statement = /^(?:import|export)\s+(type\s+)?([\w$*\s{},]*?)\s*from\s+'([^'\n]+)'/gm
/** An import without names, which only runs the module. */
const bare = /^import\s+'([^'\n]+)'/gm
/** A dynamic import loads a heavy module on first use. `typeof import(…)` is only a type. */
const call = /(typeof\s+)?\bimport\(\s*'([^'\n]+)'\s*\)/g
/** Worker threads are started from a file, not imported. */
const workerFile = /'(\.\.?\/[^'\n]+\.ts)'[^\n]*import\.meta\.url/g

export function importsIn(text: string, path: string): Import[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  return [
    ...[...code.matchAll(statement)].map(([, type, names, target]) =>
      describeImport(path, target!, Boolean(type) || onlyTypes(names!)),
    ),
    ...[...code.matchAll(bare)].map(([, target]) => describeImport(path, target!, false)),
    ...[...code.matchAll(call)].map(([, type, target]) => describeImport(path, target!, Boolean(type))),
    ...[...code.matchAll(workerFile)].map(([, target]) => describeImport(path, target!, false)),
  ]
}

/** True for `import { type A, type B } from …`, which has no effect at run time. */
function onlyTypes(names: string): boolean {
  const inBraces = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1]
  if (inBraces === undefined) return false
  const parts = inBraces.split(',').map(part => part.trim())
  return parts.filter(Boolean).every(part => part.startsWith('type '))
}

function describeImport(from: string, target: string, typesOnly: boolean): Import {
  if (target.startsWith('.')) return { path: normalize(join(dirname(from), target)), module: null, typesOnly }
  return { path: null, module: moduleName(target), typesOnly }
}

/** The package of an import: `csv-parse/sync` is `csv-parse`, `@scope/name/part` is `@scope/name`, `node:fs/promises` is `node:fs`. */
function moduleName(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
}
